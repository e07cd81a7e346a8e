#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries pad_to_cardinality_contract(
    "pad_to_cardinality",
    {{"PROBE | map(x -> {x}) | pad_to_cardinality(30)", anything, false},
     {"PROBE | map(x -> {x, s: if x > 3 then \"a\" else \"bc\"}) | filter(e -> e.x < 4) | pad_to_cardinality(7, mask_key: \"m\") | repeat(2)",
      anything, false}},
    kLosesOrder);

TEST_CASE("pad_to_cardinality fills up with zeros and says which elements are real") {
  for (int rows : {1, 2, 100}) {
    CHECK(run("from_tensor_slices({x: [5, 6], s: [\"a\", \"b\"]}) | pad_to_cardinality(4)", rows) ==
          Lines{"{x: 5, s: \"a\", valid: true}", "{x: 6, s: \"b\", valid: true}",
                "{x: 0, s: \"\", valid: false}", "{x: 0, s: \"\", valid: false}"});
    CHECK(run("range(2) | map(x -> {x}) | pad_to_cardinality(2, mask_key: \"m\")", rows) ==
          Lines{"{x: 0, m: true}", "{x: 1, m: true}"});
    CHECK(run("range(0) | map(x -> {x: full([2], 7)}) | pad_to_cardinality(1)", rows) ==
          Lines{"{x: [0, 0], valid: false}"});
  }
  CHECK(run("range(1) | map(x -> {x}) | pad_to_cardinality(3000)", 1024).size() == 3000);
  CHECK(cardinality("range(2) | map(x -> {x}) | pad_to_cardinality(9)") == 9);
  CHECK(run_restored("range(2) | map(x -> {x}) | pad_to_cardinality(4)", 3) == Lines{"{x: 0, valid: false}"});
  CHECK(run_restored("range(2) | map(x -> {x}) | pad_to_cardinality(4)", 4).empty());
}

TEST_CASE("pad_to_cardinality: an element too many is an error and the end; errors do not count") {
  for (int rows : {1, 2, 100}) {
    CHECK(run("range(9) | filter(x -> true) | map(x -> {x}) | pad_to_cardinality(2)", rows) ==
          Lines{"{x: 0, valid: true}", "{x: 1, valid: true}", "error: invalid_argument"});
    CHECK(run("probe(2, errors: \"1\") | map(x -> {x}) | pad_to_cardinality(3)", rows) ==
          Lines{"{x: 0, valid: true}", "error: data_loss", "{x: 0, valid: false}", "{x: 0, valid: false}"});
  }
}

TEST_CASE("pad_to_cardinality refuses what it cannot fill up") {
  CHECK(contains(build_error("range(3) | map(x -> {x}) | pad_to_cardinality(2)"), "at most 2 elements"));
  CHECK(contains(build_error("range(3) | pad_to_cardinality(5)"), "elements that are dicts"));
  CHECK(contains(build_error("range(3) | map(x -> {valid: x}) | pad_to_cardinality(5)"),
                 "without the key valid"));
  CHECK(contains(build_error("range(3) | map(x -> {x: full([x], 1)}) | pad_to_cardinality(5)"),
                 "known shapes"));
}

}  // namespace
}  // namespace weir::test
