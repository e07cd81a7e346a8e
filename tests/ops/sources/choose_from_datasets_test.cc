#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries choose_from_datasets_contract(
    "choose_from_datasets",
    {{"choose_from_datasets([PROBE, range(100, 130)], range(60) | map(x -> x * x % 3 % 2))", anything, false},
     {"choose_from_datasets([range(9) | shuffle(9, seed: 1), range(20, 29) | shuffle(4, seed: 2)], range(40) | shuffle(40, seed: 3) | map(x -> x % 2), stop_on_empty: false) | repeat(2)",
      anything, false},
     {"PROBE | flat_map(x -> choose_from_datasets([range(x), range(50, 52)], range(4) | map(y -> y % 2))) | prefetch(2)",
      anything, false}},
    kLosesPlaces | kLosesOrder);

TEST_CASE("choose_from_datasets takes each next element where the choices say") {
  for (int rows : {1, 2, 100}) {
    CHECK(
        run("choose_from_datasets([range(3), range(10, 13), range(20, 22)], from_tensor_slices([2, 0, 0, 1, 2]))",
            rows) == Lines{"20", "0", "1", "10", "21"});
    // The first choice of a dataset that has ended is the end, or is passed over.
    CHECK(run("choose_from_datasets([range(1), range(10, 13)], from_tensor_slices([1, 0, 0, 1, 1, 1, 1]))",
              rows) == Lines{"10", "0"});
    CHECK(
        run("choose_from_datasets([range(1), range(10, 13)], from_tensor_slices([1, 0, 0, 1, 1, 1, 1]), stop_on_empty: false)",
            rows) == Lines{"10", "0", "11", "12"});
    CHECK(run("choose_from_datasets([range(1), range(10, 12)], range(2) | repeat(), stop_on_empty: false)",
              rows) == Lines{"0", "10", "11"});
  }
  CHECK(run("choose_from_datasets([range(2000), range(5000, 7000)], range(2) | repeat())", 1024).size() ==
        4000);
}

TEST_CASE("choose_from_datasets: a choice that fails or names no dataset is an error in its place") {
  for (int rows : {1, 3, 100}) {
    CHECK(run("choose_from_datasets([range(3), range(10, 13)], from_tensor_slices([0, 2, 1, -1, 0]))",
              rows) == Lines{"0", "error: invalid_argument", "10", "error: invalid_argument", "1"});
    CHECK(
        run("choose_from_datasets([range(9), probe(3, errors: \"1\")], from_tensor_slices([0, 1, 1, 1, 0]))",
            rows) == Lines{"0", "0", "error: data_loss", "2", "1"});
  }
}

TEST_CASE("choose_from_datasets joins what differs in shape only, by key") {
  CHECK(spec("choose_from_datasets([from_tensors([1, 2]), from_tensors([3])], range(2))") == "int64[?]");
  CHECK(
      run("choose_from_datasets([from_tensors({a: 1, b: \"x\"}), from_tensors({b: \"y\", a: 2})], range(2))") ==
      Lines{"{a: 1, b: \"x\"}", "{a: 2, b: \"y\"}"});
  CHECK(contains(build_error("choose_from_datasets([range(2), from_tensors(\"a\")], range(2))"),
                 "in dataset 1"));
  CHECK(contains(build_error("choose_from_datasets([range(2)], range(2) | map(x -> float32(x)))"),
                 "choices that are int64"));
  CHECK(contains(build_error("choose_from_datasets([], range(2))"), "at least one dataset"));
}

}  // namespace
}  // namespace weir::test
