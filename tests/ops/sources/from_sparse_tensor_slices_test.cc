#include <algorithm>

#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries from_sparse_tensor_slices_contract(
    "from_sparse_tensor_slices",
    {{"from_sparse_tensor_slices(sparse([[0, 1], [0, 3], [2, 0], [5, 2]], [\"a\", \"b\", \"c\", \"d\"], [7, 4]))"},
     {"from_sparse_tensor_slices(sparse([[1], [2]], [5, 6], [4])) | prefetch(1) | repeat(2)"},
     {"range(5) | flat_map(x -> from_sparse_tensor_slices(from_dense(stack([arange(3), arange(3) * x]))))"}});

TEST_CASE("slices of a sparse tensor, as parts and as sparse tensors") {
  const std::string value = "sparse([[0, 1], [2, 0], [2, 3]], [5, 6, 7], [4, 4])";
  for (int rows : {1, 2, 100}) {
    CHECK(run("from_sparse_tensor_slices(" + value + ")", rows) ==
          Lines{"([[1]], [5], [4])", "(zeros([0, 1]), [], [4])", "([[0], [3]], [6, 7], [4])",
                "(zeros([0, 1]), [], [4])"});
    CHECK(run("from_tensor_slices((" + value + ", [1, 2, 3, 4])) | take(3) | skip(1)", rows) ==
          Lines{"(sparse(indices: zeros([0, 1]), values: [], shape: [4]), 2)",
                "(sparse(indices: [[0], [3]], values: [6, 7], shape: [4]), 3)"});
  }
  CHECK(spec("from_sparse_tensor_slices(" + value + ")") == "(int64[?, 1], int64[?], int64[1])");
  CHECK(cardinality("from_sparse_tensor_slices(" + value + ")") == 4);
  CHECK(run_restored("from_sparse_tensor_slices(" + value + ")", 3) == Lines{"(zeros([0, 1]), [], [4])"});
  CHECK(run_restored("from_tensor_slices(" + value + ")", 4).empty());
}

TEST_CASE("slices of sparse and ragged tensors in more than one block") {
  const std::string many =
      "from_tensors(0) | flat_map(_ -> from_tensor_slices((from_dense(stack([arange(2500) % 7, "
      "arange(2500) % 2], axis: 1)), ragged(arange(5000), arange(2501) * 2)))) | enumerate() ";
  for (int rows : {1000, 1024}) {
    CHECK(run(many + "| skip(2498)", rows) ==
          Lines{"(2498, (sparse(indices: [[0]], values: [6], shape: [2]), [4996, 4997]))",
                "(2499, (sparse(indices: [[1]], values: [1], shape: [2]), [4998, 4999]))"});
  }
  CHECK(run("from_tensor_slices(ragged([\"a\", \"b\", \"c\"], [0, 0, 2, 3]))") ==
        Lines{"[]", "[\"a\", \"b\"]", "[\"c\"]"});
}

TEST_CASE("slices at any position") {
  const std::string text =
      "from_tensor_slices((sparse([[0, 1], [2, 0]], [5, 6], [3, 2]), ragged([1, 2, 3], [0, 1, 1, 3])))";
  const Lines in_order = run(text);
  Lines shuffled = run(text + " | global_shuffle(seed: 5)");
  REQUIRE(shuffled.size() == 3);
  std::sort(shuffled.begin(), shuffled.end());
  Lines sorted = in_order;
  std::sort(sorted.begin(), sorted.end());
  CHECK(shuffled == sorted);
}

TEST_CASE("rows that nobody can cut apart are refused") {
  CHECK(contains(build_error("from_sparse_tensor_slices([1])"), "from_dense(x) makes one"));
  CHECK(contains(build_error("from_tensor_slices((from_dense([1, 2]), [1, 2, 3]))"), "tensors of 2 rows"));
  CHECK(contains(build_error("from_tensor_slices(some([1]))"), "dense, sparse or ragged"));
  // Indices out of order are found when the rows are wanted.
  CHECK(run("from_sparse_tensor_slices(sparse([[2], [1]], [5, 6], [4]))") ==
        Lines{"error: invalid_argument"});
  CHECK(run("range(3) | flat_map(n -> from_tensor_slices((ragged(arange(n), stack([0, n])), [n])))") ==
        Lines{"([], 0)", "([0], 1)", "([0, 1], 2)"});
}

TEST_CASE("batches and rows of sparse tensors") {
  CHECK(run("range(5) | map(n -> (n, from_dense(full([n % 3], n)))) | batch(2)") ==
        Lines{"([0, 1], sparse(indices: [[1, 0]], values: [1], shape: [2, 1]))",
              "([2, 3], sparse(indices: [[0, 0], [0, 1]], values: [2, 2], shape: [2, 2]))",
              "([4], sparse(indices: [[0, 0]], values: [4], shape: [1, 1]))"});
  CHECK(run("range(5) | map(n -> from_dense([n, 0, n % 2])) | batch(2, drop_remainder: true) | unbatch() | "
            "map(s -> to_dense(s))",
            3) == Lines{"[0, 0, 0]", "[1, 0, 1]", "[2, 0, 0]", "[3, 0, 1]"});
  CHECK(run("range(1, 4) | map(n -> (full([n], n), ragged(arange(n * 2), arange(n + 1) * 2))) | unbatch()",
            2) ==
        Lines{"(1, [0, 1])", "(2, [0, 1])", "(2, [2, 3])", "(3, [0, 1])", "(3, [2, 3])", "(3, [4, 5])"});
  CHECK(spec("range(5) | map(n -> from_dense([n, 0])) | batch(2, drop_remainder: true)") ==
        "sparse<int64>[2, 2]");
  CHECK(contains(build_error("from_tensors(some(1)) | batch(2)"), "dense or sparse tensors"));
  CHECK(run("from_tensors(from_dense([1, 0, 3])) | rebatch(2)") ==
        Lines{"sparse(indices: [[0]], values: [1], shape: [2])",
              "sparse(indices: [[0]], values: [3], shape: [1])"});
  CHECK(run_restored("range(1, 4) | map(n -> from_dense(full([n, 1], n))) | unbatch() | map(s -> values(s))",
                     4) == Lines{"[3]", "[3]"});
}

}  // namespace
}  // namespace weir::test
