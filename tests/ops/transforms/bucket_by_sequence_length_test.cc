#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

// Row i is a vector of i % 7 numbers i.
const std::string kVectors = "range(23) | map(i -> full([i % 7], i))";
const std::string kBuckets = " | bucket_by_sequence_length(x -> shape(x)[0], [2, 5], [3, 2, 4]";

const ContractEntries bucket_by_sequence_length_contract(
    "bucket_by_sequence_length",
    {{"PROBE | bucket_by_sequence_length(x -> 0, [1], [3, 1])", [](int64_t k) { return 3 * k; }, false},
     {"PROBE | map(x -> full([x % 5], x))" + kBuckets + ")", anything, false},
     {"range(3) | flat_map(n -> range(n * 9) | map(i -> full([i % 4], n)) | "
      "bucket_by_sequence_length(x -> shape(x)[0], [n + 1], [2, n + 1], pad_to_bucket_boundary: n == 9))",
      anything, false},
     {kVectors + kBuckets + ", drop_remainder: true) | prefetch(2) | repeat(2)", anything, false},
     {kVectors + " | shuffle(5, seed: 1)" + kBuckets + ", no_padding: true)", anything, false}},
    kLosesPlaces | kLosesOrder);

TEST_CASE("bucket_by_sequence_length: a full bucket comes at once, the rest by length") {
  for (int rows : {1, 2, 64}) {
    INFO(rows);
    CHECK(run("from_tensor_slices([5, 1, 2, 4, 0, 9, 1]) | map(n -> full([n], n))" + kBuckets + ")", rows) ==
          Lines{"[[2, 2, 0, 0], [4, 4, 4, 4]]", "[[1], [0], [1]]",
                "[[5, 5, 5, 5, 5, 0, 0, 0, 0], [9, 9, 9, 9, 9, 9, 9, 9, 9]]"});
    CHECK(run("range(0) | map(n -> [n])" + kBuckets + ")", rows).empty());
  }
}

TEST_CASE("bucket_by_sequence_length: a boundary belongs to the bucket above it") {
  const std::string lengths = "from_tensor_slices([1, 2, 3, 4, 5, 6]) | bucket_by_sequence_length(x -> x, ";
  CHECK(run(lengths + "[3, 5], [9, 9, 9])") == Lines{"[1, 2]", "[3, 4]", "[5, 6]"});
  CHECK(run(lengths + "[3, 3], [9, 9, 9])") == Lines{"[1, 2]", "[3, 4, 5, 6]"});
  CHECK(run(lengths + "[-1, 7], [9, 4, 9])") == Lines{"[1, 2, 3, 4]", "[5, 6]"});
  CHECK(run(lengths + "[], [4])") == Lines{"[1, 2, 3, 4]", "[5, 6]"});
}

TEST_CASE("bucket_by_sequence_length: padding up to the boundary") {
  const auto batches = [](const std::string& lengths, const std::string& more) {
    return run("from_tensor_slices(" + lengths + ") | map(n -> (full([n], n), n)) | " +
               "bucket_by_sequence_length((x, n) -> n, [3, 5], [2, 2, 2], pad_to_bucket_boundary: true" +
               more + ")");
  };
  CHECK(batches("[1, 3, 2]", "") == Lines{"([[1, 0], [2, 2]], [1, 2])", "([[3, 3, 3, 0]], [3])"});
  CHECK(batches("[1, 3]", ", shapes: ([none], []), values: (7, 0)") ==
        Lines{"([[1, 7]], [1])", "([[3, 3, 3, 7]], [3])"});
  CHECK(batches("[1, 3]", ", shapes: ([6], [])") ==
        Lines{"([[1, 0, 0, 0, 0, 0]], [1])", "([[3, 3, 3, 0, 0, 0]], [3])"});
  // The last bucket has no boundary: its batches are errors, each in its place.
  CHECK(batches("[5, 1, 6, 2, 7]", "") ==
        Lines{"error: invalid_argument", "([[1, 0], [2, 2]], [1, 2])", "error: invalid_argument"});
}

TEST_CASE("bucket_by_sequence_length: without padding, and with its remainder dropped") {
  CHECK(
      run(kVectors +
          " | take(10) | bucket_by_sequence_length(x -> shape(x)[0], [1, 2], [2, 2, 9], no_padding: true)") ==
      Lines{"[[], []]", "[[1], [8]]", "error: invalid_argument"});
  CHECK(run("range(7) | bucket_by_sequence_length(x -> x % 2, [1], [2, 3], drop_remainder: true)") ==
        Lines{"[0, 2]", "[1, 3, 5]", "[4, 6]"});
}

TEST_CASE("bucket_by_sequence_length: errors of elements and of lengths come at once") {
  for (int rows : {1, 64}) {
    INFO(rows);
    CHECK(run("probe(7, errors: \"2\") | bucket_by_sequence_length(x -> 6 // (x - 4), [0], [2, 2])", rows) ==
          Lines{"[0, 1]", "error: data_loss", "error: invalid_argument", "[5, 6]", "[3]"});
  }
}

TEST_CASE("bucket_by_sequence_length joins sparse tensors without padding") {
  CHECK(run("range(1, 5) | map(n -> (from_dense(arange(n)), n)) | "
            "bucket_by_sequence_length((s, n) -> n, [3], [2, 2], no_padding: true)") ==
        Lines{"(sparse(indices: [[1, 1]], values: [1], shape: [2, 2]), [1, 2])",
              "(sparse(indices: [[0, 1], [0, 2], [1, 1], [1, 2], [1, 3]], values: [1, 2, 1, 2, 3], shape: "
              "[2, 4]), [3, 4])"});
  CHECK(contains(
      build_error("range(3) | map(n -> from_dense([n])) | bucket_by_sequence_length(x -> 1, [3], [1, 1])"),
      "to_dense(x)"));
}

TEST_CASE("bucket_by_sequence_length: what it is built with") {
  const std::string text = "range(9) | map(n -> ([n], n)) | bucket_by_sequence_length((v, n) -> n, ";
  CHECK(spec(text + "[3], [1, 2])") == "(int64[?, 1], int64[?])");
  CHECK(spec(text + "[3], [1, 2], shapes: ([4], []))") == "(int64[?, 4], int64[?])");
  CHECK(cardinality(text + "[3], [1, 2])") == -2);
  CHECK(contains(build_error(text + "[3], [1])"), "expected 2 sizes, one more than boundaries, found 1"));
  CHECK(contains(build_error(text + "[3, 2], [1, 1, 1])"), "expected ascending boundaries, found 2 after 3"));
  CHECK(contains(build_error(text + "[3], [0, 1])"), "expected sizes of at least 1, found 0"));
  CHECK(contains(build_error(text + "3, [1, 1])"), "expected a list of integers"));
  CHECK(contains(build_error(text + "[], [1], pad_to_bucket_boundary: true)"),
                 "expected a boundary to pad to"));
  CHECK(contains(build_error("range(3) | bucket_by_sequence_length(x -> 1.0, [3], [1, 1])"),
                 "expected a scalar int64"));
  CHECK(contains(build_error("range(3) | window(2) | bucket_by_sequence_length(x -> 1, [3], [1, 1])"),
                 "expected dense tensors"));
}

TEST_CASE("bucket_by_sequence_length: positions in buckets and between batches") {
  for (const std::string& text :
       {kVectors + kBuckets + ")", kVectors + kBuckets + ", pad_to_bucket_boundary: true)",
        std::string("range(3000) | bucket_by_sequence_length(x -> x % 3, [1, 2], [300, 700, 11])")}) {
    INFO(text);
    const Lines all = run(text);
    for (size_t count = 0; count <= all.size(); ++count)
      CHECK(run_restored(text, static_cast<int64_t>(count)) ==
            Lines(all.begin() + static_cast<ptrdiff_t>(count), all.end()));
  }
}

}  // namespace
}  // namespace weir::test
