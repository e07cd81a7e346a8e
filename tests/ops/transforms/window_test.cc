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

// How many blocks the window after `skipped` others has, all of which were made one at a time.
int blocks_of_window(const std::string& windows, int skipped) {
  register_narrow();
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, windows + " | narrow(rows: 1) | skip(" + std::to_string(skipped) +
                                          ") | take(1) | flat_map(w -> w)");
  int count = 0;
  Block block;
  while (require_value(iterator->next(kMaxBlockRows, block)) == PullResult::rows) ++count;
  return count;
}

TEST_CASE("window: few blocks, however few rows came at a time") {
  // 24,000 bytes, in which 375 rows are put together at most.
  CHECK(blocks_of_window("range(9000) | window(3000, shift: 1)", 4600) <= 3000 / 188 + 10);
  CHECK(blocks_of_window("range(9000) | map(x -> as_string(x)) | window(1100, shift: 1)", 1300) <=
        1100 / 69 + 9);
  // A large row is no larger in a block of its own.
  CHECK(blocks_of_window("range(700) | map(x -> full([600], x)) | window(90, shift: 1)", 350) == 90);
  // 2,400 bytes are copied into one block, whatever lies between the rows.
  CHECK(blocks_of_window("range(40000) | window(300, stride: 100, shift: 1)", 1300) == 1);
}

TEST_CASE("window: rows that were put together are as they were, failed ones too") {
  const std::string sums =
      "probe(4000, errors: \"7,2500,2501,3900\") | window(2300, shift: 1, drop_remainder: true) | "
      "map(w -> w | reduce(0, (s, x) -> s * 31 + x))";
  const Lines all = run(sums, 1024);
  REQUIRE(all.size() == 1701);
  CHECK(all[7] == "error: data_loss");
  CHECK(all[200] != "error: data_loss");
  CHECK(all[201] == "error: data_loss");
  CHECK(run(sums, 1) == all);
  for (int64_t count : {0, 9, 203, 1700})
    CHECK(run_restored(sums, count) == Lines(all.begin() + count, all.end()));
  // Strings, rows of several shapes, and datasets.
  const std::string mixed =
      "range(1400) | flat_map(x -> from_tensors({s: as_string(x * x), n: x, l: full([x % 3], x)})) | "
      "window(900, shift: 1, drop_remainder: true) | "
      "flat_map(w -> zip(w.s, w.l | map(l -> sum(l))) | shard(450, 7) | take(2))";
  const Lines rows = run(mixed, 1024);
  REQUIRE(rows.size() == 1002);
  CHECK(rows[1] == "(\"208849\", 457)");
  CHECK(run(mixed, 1) == rows);
  CHECK(run_restored(mixed, 501) == Lines(rows.begin() + 501, rows.end()));
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
