#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries contract(
    "flat_map",
    {{"PROBE | flat_map(x -> range(x % 4) | map(y -> x * 10 + y))", anything, false},
     {"range(3) | flat_map(x -> PROBE | shuffle(4, seed: 3) | repeat(2) | map(y -> y + x) | batch(5))",
      anything, false}});

TEST_CASE("flat_map knows its cardinality where its input has no elements, or no end") {
  CHECK(cardinality("range(0) | flat_map(x -> range(3))") == 0);
  CHECK(cardinality("range(3) | repeat() | flat_map(x -> range(3))") == -1);
  CHECK(cardinality("range(3) | flat_map(x -> range(3))") == -2);
  CHECK(cardinality("range(3) | filter(x -> x > 1) | flat_map(x -> range(3))") == -2);
}

TEST_CASE("flat_map puts the datasets one behind the other") {
  CHECK(run("range(4) | flat_map(x -> range(x))") == Lines{"0", "0", "1", "0", "1", "2"});
  CHECK(run("range(3) | flat_map(x -> range(0))").empty());
  CHECK(run("range(2) | flat_map(x -> range(2) | flat_map(y -> from_tensors((x, y))))") ==
        Lines{"(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"});
  CHECK(spec("range(4) | flat_map(x -> range(x) | batch(2))") == "int64[?]");
  CHECK(!build_error("range(4) | flat_map(x -> x)").empty());
}

TEST_CASE("an error of the outer input, of f, of opening and of the inner dataset is one row each") {
  CHECK(run("probe(3, errors: \"1\") | flat_map(x -> range(x, x + 1))") ==
        Lines{"0", "error: data_loss", "2"});
  CHECK(run("range(3) | flat_map(x -> range(assert(x != 1, \"one\", x + 1)))") ==
        Lines{"0", "error: invalid_argument", "0", "1", "2"});
  CHECK(run("range(3) | flat_map(x -> range(2) | batch(x))") ==
        Lines{"error: invalid_argument", "[0]", "[1]", "[0, 1]"});
  CHECK(run("range(2) | flat_map(x -> probe(3, errors: \"1\"))") ==
        Lines{"0", "error: data_loss", "2", "0", "error: data_loss", "2"});
}

TEST_CASE("flat_map is restored inside, between and behind its datasets") {
  const std::string text = "probe(5, errors: \"3\") | flat_map(x -> range(x * 10, x * 10 + x))";
  const Lines whole = run(text);
  REQUIRE(whole == Lines{"10", "20", "21", "error: data_loss", "40", "41", "42", "43"});
  for (int64_t position = 0; position <= 8; ++position) {
    INFO("saved after " << position);
    CHECK(run_restored(text, position) == Lines(whole.begin() + position, whole.end()));
  }
}

TEST_CASE("each row counts the epochs of its own datasets") {
  const Lines one = run("range(5) | shuffle(5, seed: 1) | repeat(2)");
  Lines twice = one;
  twice.insert(twice.end(), one.begin(), one.end());
  CHECK(run("range(2) | flat_map(x -> range(5) | shuffle(5, seed: 1) | repeat(2))") == twice);
  CHECK(run_restored("range(2) | flat_map(x -> range(5) | shuffle(5, seed: 1) | repeat(2))", 17) ==
        Lines(twice.begin() + 17, twice.end()));
}

TEST_CASE("flat_map opens a dataset only when it is needed") {
  CHECK(demand("probe(9) | flat_map(x -> range(2))", 2) == 1);
  CHECK(demand("probe(9) | flat_map(x -> range(2))", 3) == 2);
}

}  // namespace
}  // namespace weir::test
