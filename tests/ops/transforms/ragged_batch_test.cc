#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries ragged_batch_contract(
    "ragged_batch",
    {{"PROBE | map(x -> (full([x % 4], x), x, full([x % 3, 2], \"ab\"))) | ragged_batch(3)",
      [](int64_t k) { return 3 * k; }, false},
     {"PROBE | map(x -> full([x % 5], x)) | ragged_batch(2, drop_remainder: true)",
      [](int64_t k) { return 2 * k; }, false},
     {"PROBE | flat_map(x -> range(x) | map(y -> full([y], x)) | ragged_batch(2))", anything, false}},
    kLosesOrder);

const std::string kRaggedRows = "from_tensor_slices([1, 3, 0, 2, 4]) | map(n -> full([n], n)) | ";

TEST_CASE("ragged_batch joins tensors of different lengths") {
  CHECK(run(kRaggedRows + "ragged_batch(2)") ==
        Lines{"ragged([[1], [3, 3, 3]])", "ragged([[], [2, 2]])", "ragged([[4, 4, 4, 4]])"});
  CHECK(run(kRaggedRows + "ragged_batch(3, drop_remainder: true)") == Lines{"ragged([[1], [3, 3, 3], []])"});
  CHECK(run("range(3) | map(n -> full([n, 2], n)) | ragged_batch(3)") ==
        Lines{"ragged([zeros([0, 2]), [[1, 1]], [[2, 2], [2, 2]]])"});
}

TEST_CASE("tensors of a known shape stay dense beside ragged ones") {
  CHECK(run("range(1, 4) | map(n -> {n: n, v: full([n], \"x\"), w: [n, -n]}) | ragged_batch(2)") ==
        Lines{"{n: [1, 2], v: ragged([[\"x\"], [\"x\", \"x\"]]), w: [[1, -1], [2, -2]]}",
              "{n: [3], v: ragged([[\"x\", \"x\", \"x\"]]), w: [[3, -3]]}"});
  CHECK(spec("range(9) | map(n -> (n, full([n, 2], 0.5))) | ragged_batch(4)") ==
        "(int64[?], ragged<float32>[?, ?, 2])");
  CHECK(spec(kRaggedRows + "ragged_batch(4, drop_remainder: true)") == "ragged<int64>[4, ?]");
  CHECK(run("range(5) | ragged_batch(2)") == Lines{"[0, 1]", "[2, 3]", "[4]"});
  CHECK(cardinality(kRaggedRows + "ragged_batch(2)") == 3);
  CHECK(cardinality(kRaggedRows + "ragged_batch(2, drop_remainder: true)") == 2);
}

TEST_CASE("a ragged batch of more rows than a block, of strings of many owners") {
  const Lines lines = run(
      "range(2500) | map(n -> full([n % 3], if n % 2 == 0 then \"even\" else \"odd\")) | ragged_batch(2400) | "
      "map(r -> (row_lengths(r)[2395:], flat_values(r)[-3:], shape(flat_values(r))))");
  CHECK(lines == Lines{"([1, 2, 0, 1, 2], [\"even\", \"odd\", \"odd\"], [2400])",
                       "([], [\"odd\", \"even\", \"even\"], [99])"});
}

TEST_CASE("a failed element drops its ragged batch, and the next one begins after it") {
  CHECK(run("probe(7, errors: \"2\") | map(x -> full([x], x)) | ragged_batch(2)") ==
        Lines{"ragged([[], [1]])", "error: data_loss", "ragged([[3, 3, 3], [4, 4, 4, 4]])",
              "ragged([[5, 5, 5, 5, 5], [6, 6, 6, 6, 6, 6]])"});
  CHECK(run("probe(6, errors: \"3\") | map(x -> full([x], x)) | ragged_batch(3)") ==
        Lines{"ragged([[], [1], [2, 2]])", "error: data_loss", "ragged([[4, 4, 4, 4], [5, 5, 5, 5, 5]])"});
}

TEST_CASE("what has no ragged batch does not build, and rows that differ elsewhere fail") {
  CHECK(contains(build_error("range(3) | map(n -> zeros([2, n])) | ragged_batch(2)"),
                 "only the first dimension"));
  CHECK(contains(build_error("from_tensors(ragged([1, 2], [0, 2])) | ragged_batch(2)"), "to_tensor"));
  CHECK(contains(build_error("range(3) | ragged_batch(0)"), "at least 1"));
  // Only the element tells that its rows are wider.
  CHECK(run("range(4) | map(n -> if n == 1 then from_dense([[1, 2]]) else from_dense([[3, 4, 5]])) | "
            "map(s -> reshape(values(s), [-1, 1])) | ragged_batch(2)")
            .size() == 2);
}

}  // namespace
}  // namespace weir::test
