#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries concatenate_contract(
    "concatenate",
    {{"PROBE | concatenate(range(3) | map(x -> x * 10))"},
     {"range(9) | shuffle(9, seed: 1) | concatenate(PROBE | shuffle(4, seed: 2)) | repeat(2)", anything,
      false}},
    kOpens);

TEST_CASE("concatenate gives the one, then the other") {
  CHECK(run("range(2) | concatenate(range(5, 7))") == Lines{"0", "1", "5", "6"});
  CHECK(run("range(0) | concatenate(range(2))") == Lines{"0", "1"});
  CHECK(run("range(2) | concatenate(range(0))") == Lines{"0", "1"});
}

TEST_CASE("concatenate adds up cardinalities") {
  CHECK(cardinality("range(2) | concatenate(range(3))") == 5);
  CHECK(cardinality("range(2) | concatenate(range(3) | repeat())") == -1);
  CHECK(cardinality("range(2) | concatenate(range(3) | filter(x -> x > 0))") == -2);
}

TEST_CASE("structures must agree, dict keys in any order; shapes are relaxed") {
  CHECK(
      spec(
          "range(4) | batch(2, drop_remainder: true) | concatenate(range(3) | batch(3, drop_remainder: true))") ==
      "int64[?]");
  CHECK(
      run("range(1) | map(x -> {a: x, b: \"s\"}) | concatenate(range(1) | map(x -> {b: \"t\", a: x + 7}))") ==
      Lines{"{a: 0, b: \"s\"}", "{a: 7, b: \"t\"}"});
  // More than two, so that an order is not its own inverse.
  const std::string first = "range(2) | map(x -> {a: x, b: x + 10, c: {p: x + 20, q: x + 30, r: x + 40}})";
  const Lines whole = {"{a: 0, b: 10, c: {p: 20, q: 30, r: 40}}", "{a: 1, b: 11, c: {p: 21, q: 31, r: 41}}",
                       "{a: 7, b: 17, c: {p: 27, q: 37, r: 47}}", "{a: 8, b: 18, c: {p: 28, q: 38, r: 48}}"};
  for (const char* second : {"{b: x + 10, c: {q: x + 30, r: x + 40, p: x + 20}, a: x}",
                             "{c: {r: x + 40, p: x + 20, q: x + 30}, a: x, b: x + 10}"}) {
    INFO(second);
    const std::string text = first + " | concatenate(range(7, 9) | map(x -> " + second + "))";
    for (int rows : {1, 3, 64}) CHECK(run(text, rows) == whole);
    CHECK(run(text + " | batch(3) | take(1) | map(d -> (d.b, d.c.q))") ==
          Lines{"([10, 11, 17], [30, 31, 37])"});
    CHECK(run_restored(text, 3) == Lines{whole[3]});
  }
  CHECK(!build_error("range(2) | concatenate(from_tensors(\"a\"))").empty());
  CHECK(!build_error("range(2) | concatenate(zip(range(2), range(2)))").empty());
}

TEST_CASE("errors of either stand in their places") {
  CHECK(run("probe(2, errors: \"1\") | concatenate(probe(2, errors: \"0\"))") ==
        Lines{"0", "error: data_loss", "error: data_loss", "1"});
}

TEST_CASE(
    "the second is opened when the first has ended, so epochs are counted in the order of the elements") {
  const std::string s = "let s = range(6) | shuffle(6, seed: 2)\n";
  const Lines three = run(s + "s | repeat(3)");
  CHECK(run(s + "s | concatenate(s) | concatenate(s)") == three);
  CHECK(run(s + "s | concatenate(s | repeat(2))") == three);
  for (int64_t position : {0, 3, 11, 12, 13, 17}) {
    INFO("saved after " << position);
    CHECK(run_restored(s + "s | concatenate(s) | concatenate(s)", position) ==
          Lines(three.begin() + position, three.end()));
  }
}

}  // namespace
}  // namespace weir::test
