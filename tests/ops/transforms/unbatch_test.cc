#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const char* const kUnevenLists = "PROBE | map(x -> full([x % 4], x)) | unbatch()";

// What `k` rows of batches of four need.
int64_t whole_batches(int64_t k) { return (k + 3) / 4 * 4; }

const ContractEntries unbatch_contract(
    "unbatch",
    {{"PROBE | batch(4) | unbatch()", anything, false},
     {"PROBE | map(x -> ([x, -x], [[x], [7]])) | unbatch()", [](int64_t k) { return k; }, false},
     {kUnevenLists, anything, false},
     {"PROBE | map(x -> {s: from_dense([x % 3, x]), x}) | batch(4) | unbatch()", whole_batches, false},
     {"PROBE | map(x -> full([x % 4], x)) | ragged_batch(4) | unbatch()", whole_batches, false},
     {"PROBE | map(x -> [[x, 1], [2, x]]) | unbatch() | unbatch()", [](int64_t k) { return k; }, false},
     {"PROBE | flat_map(x -> from_tensors(full([x % 3], x)) | unbatch())", anything, false}},
    kLosesPlaces | kLosesOrder);

TEST_CASE("unbatch gives the rows of each element") {
  CHECK(run("from_tensors(([1, 2], [\"a\", \"b\"], [[1.0], [2.0]])) | unbatch()") ==
        Lines{"(1, \"a\", [1.0])", "(2, \"b\", [2.0])"});
  CHECK(run("range(5) | batch(2) | unbatch()", 4) == Lines{"0", "1", "2", "3", "4"});
  CHECK(run("range(2) | map(x -> [[x, 1], [2, x]]) | unbatch() | unbatch()", 5) ==
        Lines{"0", "1", "2", "0", "1", "1", "2", "1"});
}

TEST_CASE("an element without rows gives nothing") {
  CHECK(run("from_tensor_slices([2, 0, 1, 0]) | map(n -> full([n], n)) | unbatch()") == Lines{"2", "2", "1"});
  CHECK(run("range(4) | map(x -> zeros([0, 2])) | unbatch()").empty());
}

TEST_CASE("rows of sparse and ragged parts, whichever part comes first") {
  CHECK(
      run("range(3) | map(x -> ((), from_dense([0, x]), x)) | batch(2) | unbatch() | map((_, s, x) -> (to_dense(s), x))") ==
      Lines{"([0, 0], 0)", "([0, 1], 1)", "([0, 2], 2)"});
  CHECK(run("range(3) | map(x -> (full([x], x), x)) | ragged_batch(3) | unbatch()") ==
        Lines{"([], 0)", "([1], 1)", "([2, 2], 2)"});
  CHECK(run("range(2) | map(x -> from_dense(zeros([0, 2]))) | unbatch()").empty());
}

TEST_CASE("structure and cardinality of the rows") {
  CHECK(spec("range(5) | batch(2) | unbatch()") == "int64");
  CHECK(cardinality("range(5) | batch(2, drop_remainder: true) | unbatch()") == 4);
  CHECK(cardinality("range(5) | batch(2) | unbatch()") == -2);
  CHECK(cardinality("range(5) | repeat() | map(x -> [x, x]) | unbatch()") == -1);
}

TEST_CASE("scalars and tensors of known different lengths do not build") {
  CHECK(contains(build_error("range(5) | unbatch()"), "tensors with a first dimension"));
  CHECK(contains(build_error("range(5) | map(x -> ({}, ())) | batch(2) | unbatch()"),
                 "at least one component"));
  CHECK(contains(build_error("from_tensors(([1, 2, 3], [1, 2])) | unbatch()"), "tensors of 3 rows"));
}

TEST_CASE("an element fails whose tensors differ in length, or that failed before") {
  CHECK(run("range(4) | map(x -> (full([x], x), full([x % 3], x))) | unbatch()") ==
        Lines{"(1, 1)", "(2, 2)", "(2, 2)", "error: invalid_argument"});
  CHECK(run("probe(4, errors: \"1\") | map(x -> [x, x + 10]) | unbatch()", 8) ==
        Lines{"0", "10", "error: data_loss", "2", "12", "3", "13"});
}

TEST_CASE("a saved position lies between the rows of an element") {
  const std::string uneven = "range(9) | map(x -> full([x], x)) | unbatch()";
  const Lines whole = run(uneven, 7);
  REQUIRE(whole.size() == 36);
  for (int64_t at : {1, 2, 5, 17, 35, 36})
    CHECK(run_restored(uneven, at) == Lines(whole.begin() + at, whole.end()));
}

TEST_CASE("unbatch asks for no more elements than its rows take") {
  CHECK(demand("probe(50) | map(x -> [x, x, x]) | unbatch()", 4) == 2);
}

TEST_CASE("rows of an element that is taken in several windows") {
  CHECK(run("from_tensors(arange(1100000)) | unbatch() | skip(1048574) | take(4)") ==
        Lines{"1048574", "1048575", "1048576", "1048577"});
}

}  // namespace
}  // namespace weir::test
