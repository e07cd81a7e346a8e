#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries sparse_batch_contract(
    "sparse_batch",
    {{"PROBE | map(x -> full([x % 4], x)) | sparse_batch(3, [4])", [](int64_t k) { return 3 * k; }, false},
     {"PROBE | map(x -> full([x % 2, x % 3], \"ab\")) | sparse_batch(2, [none, 2])",
      [](int64_t k) { return 2 * k; }, false},
     {"PROBE | flat_map(x -> range(x) | map(y -> full([y], x)) | sparse_batch(2, [x]))", anything, false}},
    kLosesOrder);

const std::string kSparseRows = "from_tensor_slices([1, 3, 0, 2, 4]) | map(n -> full([n], n)) | ";

TEST_CASE("sparse_batch keeps every entry with its place") {
  CHECK(run(kSparseRows + "sparse_batch(2, [5])") ==
        Lines{"sparse(indices: [[0, 0], [1, 0], [1, 1], [1, 2]], values: [1, 3, 3, 3], shape: [2, 5])",
              "sparse(indices: [[1, 0], [1, 1]], values: [2, 2], shape: [2, 5])",
              "sparse(indices: [[0, 0], [0, 1], [0, 2], [0, 3]], values: [4, 4, 4, 4], shape: [1, 5])"});
  // The largest of each batch, in each dimension; zeros are values, too.
  CHECK(run("range(1, 4) | map(n -> reshape(arange(2 * n), [2, n])) | sparse_batch(2, [2, none])") ==
        Lines{"sparse(indices: [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]], "
              "values: [0, 1, 0, 1, 2, 3], shape: [2, 2, 2])",
              "sparse(indices: [[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 1, 0], [0, 1, 1], [0, 1, 2]], "
              "values: [0, 1, 2, 3, 4, 5], shape: [1, 2, 3])"});
  CHECK(run("range(2) | sparse_batch(2, [])") ==
        Lines{"sparse(indices: [[0], [1]], values: [0, 1], shape: [2])"});
}

TEST_CASE("structure and cardinality of sparse batches") {
  CHECK(spec(kSparseRows + "sparse_batch(2, [5])") == "sparse<int64>[?, 5]");
  CHECK(spec(kSparseRows + "sparse_batch(2, [none])") == "sparse<int64>[?, ?]");
  CHECK(cardinality(kSparseRows + "sparse_batch(2, [5])") == 3);
}

TEST_CASE("an element larger than row_shape is data_loss for its batch") {
  CHECK(run(kSparseRows + "sparse_batch(2, [2])") ==
        Lines{"error: data_loss", "sparse(indices: [[1, 0], [1, 1]], values: [2, 2], shape: [2, 2])",
              "error: data_loss"});
  CHECK(run(kSparseRows + "sparse_batch(2, [3])").size() == 3);
  CHECK(
      run("probe(5, errors: \"1\") | map(x -> full([x], x)) | sparse_batch(2, [4])") ==
      Lines{
          "error: data_loss",
          "sparse(indices: [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], values: [2, 2, 3, 3, 3], shape: [2, 4])",
          "sparse(indices: [[0, 0], [0, 1], [0, 2], [0, 3]], values: [4, 4, 4, 4], shape: [1, 4])"});
}

TEST_CASE("sparse batches of what is not one dense tensor do not build") {
  CHECK(contains(build_error("range(3) | map(x -> (x, x)) | sparse_batch(2, [])"), "one dense tensor"));
  CHECK(contains(build_error("from_tensors(from_dense([1])) | sparse_batch(2, [1])"), "one dense tensor"));
  CHECK(contains(build_error(kSparseRows + "sparse_batch(2, [4, 4])"), "row_shape"));
  CHECK(contains(build_error(kSparseRows + "sparse_batch(0, [4])"), "at least 1"));
}

}  // namespace
}  // namespace weir::test
