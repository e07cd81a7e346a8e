#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries contract("zip", {{"zip(PROBE, range(30) | shuffle(7, seed: 2))"},
                                       {"zip({a: PROBE, b: (range(9), PROBE)})"}});

TEST_CASE("zip ends with its shortest input") {
  CHECK(run("zip(range(3), range(10, 20))") == Lines{"(0, 10)", "(1, 11)", "(2, 12)"});
  CHECK(run("zip(range(5), range(0))").empty());
  CHECK(run("zip(range(2))") == Lines{"(0,)", "(1,)"});
  CHECK(run("zip(range(9) | repeat(), range(2))") == Lines{"(0, 0)", "(1, 1)"});
}

TEST_CASE("zip keeps the structure it is given") {
  CHECK(run("zip({a: range(2), b: (range(5, 9), from_tensor_slices([\"x\", \"y\"]))})") ==
        Lines{"{a: 0, b: (5, \"x\")}", "{a: 1, b: (6, \"y\")}"});
  CHECK(spec("zip({a: range(2), b: (range(5), range(3) | batch(2))})") == "{a: int64, b: (int64, int64[?])}");
}

TEST_CASE("the cardinality of zip is that of the shortest") {
  CHECK(cardinality("zip(range(3), range(5))") == 3);
  CHECK(cardinality("zip(range(3), range(5) | repeat())") == 3);
  CHECK(cardinality("zip(range(3) | repeat(), range(5) | repeat())") == -1);
  CHECK(cardinality("zip(range(3), range(5) | filter(x -> x > 1))") == -2);
}

TEST_CASE("a position of zip at which some input fails is one error") {
  CHECK(run("zip(probe(4, errors: \"1,2\"), probe(4, errors: \"2,3\"))") ==
        Lines{"(0, 0)", "error: data_loss", "error: data_loss", "error: data_loss"});
}

TEST_CASE("zip asks its inputs for no more rows than it gives") {
  CHECK(demand("zip(probe(9), range(9))", 2) == 2);
  CHECK(demand("zip(range(1), probe(9))", 2) == 1);
}

TEST_CASE("inputs of zip may give blocks of different sizes, or none for now") {
  Lines clean = run("zip(range(20), range(20), range(20))");
  for (int seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const std::string a = std::to_string(seed);
    const std::string b = std::to_string(seed * 7919);
    const std::string text = "zip(probe(20, pending: " + a + "), probe(20, pending: " + b + "), range(20))";
    CHECK(run(text, 7) == clean);
    CHECK(run(text + " | skip(9)", 7) == Lines(clean.begin() + 9, clean.end()));
    CHECK(run_restored(text, seed) == Lines(clean.begin() + seed, clean.end()));
  }
}

}  // namespace
}  // namespace weir::test
