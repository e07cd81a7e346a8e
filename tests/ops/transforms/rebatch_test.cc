#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries rebatch_contract(
    "rebatch",
    {{"PROBE | batch(4) | rebatch(3)", anything, false},
     {"PROBE | batch(3) | rebatch([2, 0, 5], drop_remainder: true)", anything, false},
     {"PROBE | map(x -> (full([x % 4], x), full([x % 4, 2], -x))) | rebatch(4)", anything, false},
     {"PROBE | map(x -> {s: from_dense([x % 3, x]), x}) | batch(4) | rebatch([3, 0, 2])", anything, false},
     {"PROBE | map(x -> full([x % 4], x)) | ragged_batch(4) | rebatch(3, drop_remainder: true)", anything,
      false},
     {"PROBE | map(x -> zeros([7, 1024], int64) + x) | rebatch(10) | map(x -> x[:, 5])", anything, false}},
    kLosesPlaces | kLosesOrder);

TEST_CASE("rebatch joins and splits batches") {
  CHECK(run("range(8) | batch(2) | rebatch(3)") == Lines{"[0, 1, 2]", "[3, 4, 5]", "[6, 7]"});
  CHECK(run("range(8) | batch(2) | rebatch(3, drop_remainder: true)") == Lines{"[0, 1, 2]", "[3, 4, 5]"});
  CHECK(run("range(7) | batch(7) | rebatch(2)") == Lines{"[0, 1]", "[2, 3]", "[4, 5]", "[6]"});
  CHECK(run("from_tensor_slices([1, 3, 0, 2]) | map(n -> full([n], n)) | rebatch(4)") ==
        Lines{"[1, 3, 3, 3]", "[2, 2]"});
}

TEST_CASE("a list of sizes is used in turn; 0 gives an empty batch") {
  CHECK(run("range(12) | batch(5) | rebatch([2, 1, 3])") ==
        Lines{"[0, 1]", "[2]", "[3, 4, 5]", "[6, 7]", "[8]", "[9, 10, 11]"});
  CHECK(run("range(6) | batch(3) | rebatch([2, 0])") ==
        Lines{"[0, 1]", "[]", "[2, 3]", "[]", "[4, 5]", "[]"});
  CHECK(run("range(2) | map(x -> [[x, 1]]) | rebatch([0, 2]) | map(b -> shape(b))") ==
        Lines{"[0, 2]", "[2, 2]", "[0, 2]"});
  CHECK(run("range(8) | batch(3) | rebatch([3, 0, 5, 0, 0])") ==
        Lines{"[0, 1, 2]", "[]", "[3, 4, 5, 6, 7]", "[]", "[]"});
}

TEST_CASE("rebatch: no empty batch follows a short one, also after a restore") {
  const Lines short_last{"[0, 1]", "[]", "[]", "[2, 3, 4, 5]"};
  const std::string text = "range(6) | batch(4) | rebatch([2, 0, 0, 5, 0])";
  CHECK(run(text) == short_last);
  for (int64_t at = 0; at <= 4; ++at)
    CHECK(run_restored(text, at) == Lines(short_last.begin() + at, short_last.end()));
  CHECK(run("range(6) | batch(4) | rebatch([2, 0, 0, 5, 0], drop_remainder: true)") ==
        Lines{"[0, 1]", "[]", "[]"});
}

TEST_CASE("sizes are checked, also where a variable gives them") {
  CHECK(contains(build_error("range(6) | batch(3) | rebatch(0)"), "at least 1"));
  CHECK(contains(build_error("range(6) | batch(3) | rebatch([2, -1])"), "at least 0"));
  CHECK(contains(build_error("range(6) | batch(3) | rebatch(2.5)"), "expected an int64 or a list of them"));
  CHECK(contains(build_error("range(6) | rebatch(2)"), "tensors with a first dimension"));
  CHECK(contains(build_error("range(6) | map(x -> {}) | batch(3) | rebatch(2)"), "at least one component"));
  CHECK(run("range(2) | flat_map(n -> range(3) | batch(3) | rebatch(n))") ==
        Lines{"error: invalid_argument", "[0]", "[1]", "[2]"});
}

TEST_CASE("the first dimension is known where every batch is full and has one size") {
  CHECK(spec("range(8) | batch(2) | rebatch(3)") == "int64[?]");
  CHECK(spec("range(8) | batch(2) | rebatch([3, 3], drop_remainder: true)") == "int64[3]");
  CHECK(spec("range(8) | batch(2) | rebatch([3, 2], drop_remainder: true)") == "int64[?]");
}

TEST_CASE("rebatch keeps sparse parts sparse and ragged ones ragged") {
  const std::string rows = "range(5) | map(x -> {s: from_dense([0, x, x]), x}) | ";
  for (const char* n : {"1", "2", "4", "5", "9"}) {
    INFO(n);
    CHECK(run(rows + "batch(3) | rebatch(" + n + ")") == run(rows + "batch(" + n + ")"));
  }
  CHECK(run("range(1, 5) | map(x -> full([x], x)) | ragged_batch(3) | rebatch([2, 0])") ==
        Lines{"ragged([[1], [2, 2]])", "ragged([])", "ragged([[3, 3, 3], [4, 4, 4, 4]])", "ragged([])"});
  CHECK(run("from_tensors(from_dense([[1, 0], [0, 2]])) | rebatch([0, 3])") ==
        Lines{"sparse(indices: zeros([0, 2]), values: [], shape: [0, 2])",
              "sparse(indices: [[0, 0], [1, 1]], values: [1, 2], shape: [2, 2])"});
  CHECK(spec("range(4) | map(x -> (from_dense([x]), x)) | batch(2) | rebatch(3, drop_remainder: true)") ==
        "(sparse<int64>[3, 1], int64[3])");
  CHECK(spec("range(4) | map(x -> full([x], x)) | ragged_batch(2) | rebatch(3)") == "ragged<int64>[?, ?]");
  CHECK(contains(build_error("range(4) | map(x -> some([x])) | rebatch(2)"), "dense, sparse or ragged"));
}

TEST_CASE("rebatch: an error drops the rows gathered for its batch") {
  CHECK(run("range(8) | map(x -> assert(x != 5, \"bad\", x)) | batch(2) | rebatch(3)") ==
        Lines{"[0, 1, 2]", "error: invalid_argument", "[6, 7]"});
  CHECK(run("from_tensor_slices([2, 3]) | map(n -> zeros([2, n])) | rebatch(3)") ==
        Lines{"error: invalid_argument", "[[0.0, 0.0, 0.0]]"});
}

TEST_CASE("rebatch: a saved position lies between the rows of an element") {
  const std::string text = "range(40) | batch(9) | rebatch([4, 0, 11])";
  const Lines whole = run(text);
  for (size_t at = 0; at <= whole.size(); ++at) {
    CHECK(run_restored(text, static_cast<int64_t>(at)) ==
          Lines(whole.begin() + static_cast<int64_t>(at), whole.end()));
  }
}

TEST_CASE("rebatched batches that were delivered are never written again") {
  CHECK(run("range(6) | map(x -> zeros([4, 2048], int64) + x) | rebatch(6) | map(b -> b[:, 2047])") ==
        Lines{"[0, 0, 0, 0, 1, 1]", "[1, 1, 2, 2, 2, 2]", "[3, 3, 3, 3, 4, 4]", "[4, 4, 5, 5, 5, 5]"});
}

}  // namespace
}  // namespace weir::test
