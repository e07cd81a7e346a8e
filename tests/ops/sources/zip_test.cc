#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries zip_contract("zip",
                                   {{"zip(PROBE, range(30) | shuffle(7, seed: 2))"},
                                    {"zip({a: PROBE, b: (range(9), PROBE)})"}},
                                   kLosesOrder);

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

TEST_CASE("an error belongs to its own position, however wide the blocks of the inputs are") {
  const Lines whole = {"(0, 0)", "(1, 1)", "error: data_loss", "(3, 3)",           "(4, 4)",
                       "(5, 5)", "(6, 6)", "error: data_loss", "error: data_loss", "(9, 9)"};
  for (int width = 1; width <= 10; ++width) {
    for (int other = 1; other <= 10; ++other) {
      INFO("blocks of " << width << " and " << other << " rows");
      const std::string text = "zip(range(10) | narrow(rows: " + std::to_string(width) +
                               "), probe(10, errors: \"2,7,8\") | narrow(rows: " + std::to_string(other) +
                               "))";
      const std::string swapped = "zip(probe(10, errors: \"2,7,8\") | narrow(rows: " + std::to_string(width) +
                                  "), range(10) | narrow(rows: " + std::to_string(other) + "))";
      for (const std::string& either : {text, swapped}) {
        CHECK(run(either, 64) == whole);
        // take counts only elements, and ends before an error that follows.
        CHECK(run(either + " | take(2)", 64) == Lines(whole.begin(), whole.begin() + 2));
        CHECK(run(either + " | take(3)", 64) == Lines(whole.begin(), whole.begin() + 4));
        CHECK(run(either + " | take(6)", 64) == Lines(whole.begin(), whole.begin() + 7));
        CHECK(run(either + " | take(7)", 64) == whole);
      }
    }
  }
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
