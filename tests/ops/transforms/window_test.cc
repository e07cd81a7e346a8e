#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

// The windows of a pipeline as batches.
std::string batched(const std::string& text) { return text + " | flat_map(w -> w | batch(100))"; }

const ContractEntries window_contract(
    "window",
    {{"PROBE | window(3) | flat_map(w -> w | batch(3))", [](int64_t k) { return 3 * k; }, false},
     {"PROBE | window(4, shift: 1) | flat_map(w -> w | batch(4))", [](int64_t k) { return k + 3; }, false},
     {"PROBE | window(2, shift: 5, stride: 2) | flat_map(w -> w | batch(4))",
      [](int64_t k) { return 5 * k - 2; }, false},
     {"PROBE | map(x -> (x, x * 2)) | window(3, shift: 2, drop_remainder: true) | "
      "flat_map((a, b) -> zip(a | batch(3), b | skip(1) | batch(3)))",
      [](int64_t k) { return 2 * k + 1; }, false},
     {"range(3) | flat_map(x -> range(x * 7) | window(3, shift: 2) | flat_map(w -> w | batch(2)))", anything,
      false},
     {"range(11) | window(3, shift: 2) | flat_map(w -> w | batch(2)) | prefetch(2) | repeat(2)", anything,
      false},
     {"range(11) | window(3, shift: 2) | shuffle(3, seed: 1) | flat_map(w -> w | shuffle(4, seed: 3))",
      anything, false}});

TEST_CASE("window: each begins `shift` elements after the one before, whatever is read at a time") {
  for (int rows : {1, 2, 64}) {
    INFO(rows);
    CHECK(run(batched("range(7) | window(3, shift: 2)"), rows) ==
          Lines{"[0, 1, 2]", "[2, 3, 4]", "[4, 5, 6]", "[6]"});
    CHECK(run(batched("range(7) | window(2, shift: 4, stride: 2)"), rows) == Lines{"[0, 2]", "[4, 6]"});
    CHECK(run(batched("range(7) | window(2, shift: 3, stride: 3, drop_remainder: true)"), rows) ==
          Lines{"[0, 3]", "[3, 6]"});
  }
}

TEST_CASE("window: more than one block of the input") {
  const Lines lines =
      run("range(5000) | window(2000, shift: 1500) | map(w -> w | reduce(0, (s, x) -> s + x))");
  CHECK(lines == Lines{"1999000", "4999000", "7999000", "2374750"});
  CHECK(run("range(5000) | window(3, shift: 2047, stride: 1024) | flat_map(w -> w | batch(3))") ==
        Lines{"[0, 1024, 2048]", "[2047, 3071, 4095]", "[4094]"});
}

TEST_CASE("window: as large as can be, and larger") {
  CHECK(run(batched("range(3) | window(9223372036854775807)")) == Lines{"[0, 1, 2]"});
  CHECK(run(batched("range(3) | window(1, shift: 9223372036854775807)")) == Lines{"[0]"});
  CHECK(run("range(3) | window(9223372036854775807, drop_remainder: true)").empty());
  CHECK(contains(build_error("range(3) | window(4611686018427387904, stride: 3)"),
                 "expected (size - 1) * stride + 1 of at most 9223372036854775807"));
  CHECK(contains(build_error("range(3) | window(0)"), "expected at least 1, found 0"));
  CHECK(contains(build_error("range(3) | window(1, shift: 0)"), "expected at least 1, found 0"));
  CHECK(contains(build_error("range(3) | window(1, stride: 0)"), "expected at least 1, found 0"));
}

TEST_CASE("window: a size that a variable gives") {
  CHECK(run("range(1, 4) | flat_map(n -> range(4) | window(n) | flat_map(w -> w | batch(9)))") ==
        Lines{"[0]", "[1]", "[2]", "[3]", "[0, 1]", "[2, 3]", "[0, 1, 2]", "[3]"});
}

TEST_CASE("window: what it gives has the structure of the element") {
  CHECK(spec("from_tensor_slices({a: [1], b: ([2], [\"x\"])}) | window(2)") ==
        "{a: dataset<int64>, b: (dataset<int64>, dataset<string>)}");
  CHECK(spec("range(9) | window(2) | window(2)") == "dataset<dataset<int64>>");
  CHECK(run("range(5) | window(2) | window(2) | flat_map(d -> d | flat_map(w -> w | batch(3)))") ==
        Lines{"[0, 1]", "[2, 3]", "[4]"});
}

TEST_CASE("window: how many") {
  CHECK(cardinality("range(7) | window(3, shift: 2)") == 4);
  CHECK(cardinality("range(8) | window(3, shift: 2)") == 4);
  CHECK(cardinality("range(7) | window(3, shift: 2, drop_remainder: true)") == 3);
  CHECK(cardinality("range(7) | window(3, shift: 2, stride: 3, drop_remainder: true)") == 1);
  CHECK(cardinality("range(6) | window(3, stride: 3, drop_remainder: true)") == 0);
  CHECK(cardinality("range(7) | repeat() | window(3)") == -1);
  CHECK(cardinality("range(7) | filter(x -> x > 1) | window(3)") == -2);
}

TEST_CASE("window: an error fails each window that has the element, and no other") {
  for (int rows : {1, 64}) {
    CHECK(run(batched("probe(7, errors: \"3\") | window(3, shift: 1)"), rows) ==
          Lines{"[0, 1, 2]", "error: data_loss", "error: data_loss", "error: data_loss", "[4, 5, 6]",
                "[5, 6]", "[6]"});
    CHECK(run(batched("probe(9, errors: \"2,5\") | window(2, shift: 3, stride: 1)"), rows) ==
          Lines{"[0, 1]", "[3, 4]", "[6, 7]"});
  }
}

TEST_CASE("window: rows of several shapes, and large ones, which are shared") {
  CHECK(run("range(1, 4) | map(x -> range(x)) | map(d -> d | reduce(0, (s, y) -> s + y)) | window(2) | "
            "flat_map(w -> w | batch(2))") == Lines{"[0, 1]", "[3]"});
  CHECK(
      run("range(5) | map(x -> zeros([3000], int64) + x) | window(3, shift: 1, stride: 2, drop_remainder: true) | "
          "flat_map(w -> w | batch(3)) | map(b -> b[:, 2999])") == Lines{"[0, 2, 4]"});
}

TEST_CASE("window: its datasets outlive it and can be gone through again") {
  register_probe();
  ThreadsRuntime runtime;
  CHECK(run("range(6) | window(3) | prefetch(2) | flat_map(w -> w | concatenate(w | skip(1)) | repeat(2))",
            1) == Lines{"0", "1", "2", "1", "2", "0", "1", "2", "1", "2",
                        "3", "4", "5", "4", "5", "3", "4", "5", "4", "5"});
}

TEST_CASE("window: a saved position is that of the next window's first element") {
  const std::string text = "range(40) | window(4, shift: 7, stride: 2) | flat_map(w -> w)";
  const Lines all = run(text);
  for (size_t count = 0; count <= all.size(); ++count)
    CHECK(run_restored(text, static_cast<int64_t>(count)) ==
          Lines(all.begin() + static_cast<ptrdiff_t>(count), all.end()));
}

}  // namespace
}  // namespace weir::test
