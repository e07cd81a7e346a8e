#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/replace.h"

namespace weir::test {
namespace {

const ContractEntries flat_map_contract(
    "flat_map",
    {{"PROBE | flat_map(x -> range(x % 4) | map(y -> x * 10 + y))", anything, false},
     {"range(3) | flat_map(x -> PROBE | shuffle(4, seed: 3) | repeat(2) | map(y -> y + x) | batch(5))",
      anything, false}},
    kLosesPlaces | kOpens);

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

// Pipelines over X that a function opens for one row after the other.
const char* const kOfRow[] = {
    "range(X, X * 3)",
    "range(X) | batch(2)",
    "range(10) | batch(X + 1)",
    "range(X * 2) | take(X) | enumerate(start: X)",
    "range(5) | take(X - 1)",
    "range(40) | filter(y -> y % 4 == X) | map(y -> y * 10 + X)",
    "from_tensors(X * 2)",
    "from_tensor_slices([X, X + 1, X * X])",
    "probe(6, errors: \"1,4\") | batch(2) | map(y -> y + X)",
    "range(X) | map(y -> assert(y != 2, \"two\", y))",
    "range(7) | shuffle(4, seed: 3) | batch(3) | take(X)",
    "range(3) | window(2, shift: 1) | flat_map(w -> w | batch(X + 1))",
    "range(3) | flat_map(y -> range(X) | map(z -> z + y) | batch(2))",
    "range(X) | padded_batch(2) | repeat(2)",
    "range(6, 0, step: X - 2)",
};

TEST_CASE("a dataset that flat_map opens for a row is as if it stood alone") {
  for (const std::string of_row : kOfRow) {
    INFO(of_row);
    Lines expected;
    for (int x = 0; x < 6; ++x) {
      std::string alone = of_row;
      replace(alone, "X", std::to_string(x));
      // The same parameters when they are known only then.
      alone = "from_tensors(0) | flat_map(_ -> " + alone + ")";
      const Lines lines = run(x == 2 && of_row.find("step") != std::string::npos
                                  ? "from_tensors(0) | flat_map(n -> range(6, 0, step: n))"
                                  : alone);
      expected.insert(expected.end(), lines.begin(), lines.end());
    }
    std::string text = "range(6) | flat_map(x -> " + of_row + ")";
    replace(text, "X", "x");
    for (int rows : {1, 4, 100}) CHECK(run(text, rows) == expected);
    for (size_t count = 0; count <= expected.size(); count += 1 + count / 4) {
      INFO("saved after " << count);
      CHECK(run_restored(text, static_cast<int64_t>(count)) ==
            Lines(expected.begin() + static_cast<int64_t>(count), expected.end()));
    }
  }
}

TEST_CASE("flat_map opens a dataset only when it is needed") {
  CHECK(demand("probe(9) | flat_map(x -> range(2))", 2) == 1);
  CHECK(demand("probe(9) | flat_map(x -> range(2))", 3) == 2);
}

}  // namespace
}  // namespace weir::test
