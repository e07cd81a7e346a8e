#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const ContractEntries group_by_window_contract(
    "group_by_window",
    {{"PROBE | group_by_window(x -> 7, (k, w) -> w | batch(3), 3)", [](int64_t k) { return 3 * k; }, false},
     {"PROBE | group_by_window(x -> x % 2, (k, w) -> w | batch(3), 3)", [](int64_t k) { return 3 * k + 2; },
      false},
     {"PROBE | map(x -> (x, x * 2)) | group_by_window((x, y) -> x % 3, (k, w) -> w, k -> k + 1)", anything,
      false},
     {"range(3) | flat_map(n -> range(n * 9) | group_by_window(x -> x % 4, (k, w) -> w | batch(n + 1), n + 2))",
      anything, false},
     {"range(23) | group_by_window(x -> x % 4, (k, w) -> w | batch(2) | prefetch(2), 3) | prefetch(2) | repeat(2)",
      anything, false},
     {"range(23) | shuffle(5, seed: 1) | group_by_window(x -> x % 2, (k, w) -> w | shuffle(3, seed: k), 4)",
      anything, false}},
    kLosesPlaces | kLosesOrder);

TEST_CASE("group_by_window: a full group comes at once, the rest by key") {
  for (int rows : {1, 2, 64}) {
    INFO(rows);
    CHECK(
        run("from_tensor_slices([5, -2, 5, 5, 9, -2, 5, 9]) | group_by_window(x -> x, (k, w) -> w | batch(9), 3)",
            rows) == Lines{"[5, 5, 5]", "[-2, -2]", "[5]", "[9, 9]"});
    CHECK(run("range(7) | group_by_window(x -> x % 3, (k, w) -> w, 1)", rows) ==
          Lines{"0", "1", "2", "3", "4", "5", "6"});
    CHECK(run("range(7) | group_by_window(x -> x % 2, (k, w) -> w, 100)", rows) ==
          Lines{"0", "2", "4", "6", "1", "3", "5"});
    CHECK(run("range(0) | group_by_window(x -> x, (k, w) -> w, 2)", rows).empty());
  }
}

TEST_CASE("group_by_window: a size for each key") {
  CHECK(run("range(10) | group_by_window(x -> x % 3, (k, w) -> w | batch(9), k -> 3 - k)") ==
        Lines{"[2]", "[1, 4]", "[5]", "[0, 3, 6]", "[8]", "[9]", "[7]"});
  // A size that fails fails each element of its key, and no other.
  CHECK(run("range(6) | group_by_window(x -> x % 3, (k, w) -> w | batch(9), k -> k - 1)") ==
        Lines{"error: invalid_argument", "error: invalid_argument", "[2]", "error: invalid_argument",
              "error: invalid_argument", "[5]"});
  CHECK(run("range(1, 4) | flat_map(n -> range(4) | group_by_window(x -> 0, (k, w) -> w | batch(9), n))") ==
        Lines{"[0]", "[1]", "[2]", "[3]", "[0, 1]", "[2, 3]", "[0, 1, 2]", "[3]"});
}

TEST_CASE("group_by_window: groups of more than one block, and more groups than rows of a block") {
  CHECK(
      run("range(9000) | group_by_window(x -> x % 3, (k, w) -> w | batch(9000), 2500) | map(b -> (b[0], b[-1]))") ==
      Lines{"(0, 7497)", "(1, 7498)", "(2, 7499)", "(7500, 8997)", "(7501, 8998)", "(7502, 8999)"});
  const Lines lines = run("range(6000) | group_by_window(x -> x % 2500, (k, w) -> w | batch(4), 2)", 64);
  REQUIRE(lines.size() == 3500);
  CHECK(lines[0] == "[0, 2500]");
  CHECK(lines[2499] == "[2499, 4999]");
  CHECK(lines[2500] == "[5000]");
  CHECK(lines.back() == "[5999]");
}

TEST_CASE("group_by_window: errors come at once, and groups go on") {
  for (int rows : {1, 64}) {
    INFO(rows);
    CHECK(run("probe(9, errors: \"2,5\") | group_by_window(x -> x % 2, (k, w) -> w | batch(9), 3)", rows) ==
          Lines{"error: data_loss", "error: data_loss", "[0, 4, 6]", "[1, 3, 7]", "[8]"});
    // A key that fails; a group whose dataset cannot be made; one whose dataset fails in the middle.
    CHECK(run("range(5) | group_by_window(x -> 6 // (x - 1), (k, w) -> w | batch(2), 2)", rows) ==
          Lines{"error: invalid_argument", "[0]", "[4]", "[3]", "[2]"});
    CHECK(run("range(6) | group_by_window(x -> x % 2, (k, w) -> w | skip(2 // k), 2)", rows) ==
          Lines{"error: invalid_argument", "error: invalid_argument"});
    CHECK(run("range(6) | group_by_window(x -> x % 2, (k, w) -> w | map(x -> 6 // (x - 2)), 3)", rows) ==
          Lines{"-3", "error: invalid_argument", "3", "-6", "6", "2"});
  }
}

TEST_CASE("group_by_window: strings, structures and rows of several shapes") {
  CHECK(run("from_tensor_slices({a: [1, 2, 1], b: [\"x\", \"yy\", \"zzz\"]}) | "
            "group_by_window({a, b} -> a, (k, w) -> w | map({a, b} -> (k, b)), 2)") ==
        Lines{"(1, \"x\")", "(1, \"zzz\")", "(2, \"yy\")"});
  CHECK(run("range(5) | map(n -> full([n], n)) | group_by_window(x -> shape(x)[0] % 2, (k, w) -> w, 2)") ==
        Lines{"[]", "[2, 2]", "[1]", "[3, 3, 3]", "[4, 4, 4, 4]"});
  CHECK(
      run("range(7) | window(2) | group_by_window(w -> w | reduce(0, (s, x) -> s + 1), (k, d) -> d | flat_map(w -> w), 2)") ==
      Lines{"0", "1", "2", "3", "6", "4", "5"});
}

TEST_CASE("group_by_window: its datasets outlive it and can be gone through again") {
  CHECK(run("range(4) | group_by_window(x -> x % 2, (k, w) -> w | concatenate(w | skip(1)) | prefetch(2), 2)",
            1) == Lines{"0", "2", "2", "1", "3", "3"});
}

TEST_CASE("group_by_window: what it is built with") {
  CHECK(spec("range(9) | group_by_window(x -> x, (k, w) -> zip(w, from_tensors(k)), 2)") == "(int64, int64)");
  CHECK(cardinality("range(7) | group_by_window(x -> x, (k, w) -> w, 2)") == -2);
  CHECK(contains(build_error("range(3) | group_by_window(x -> x, (k, w) -> w, 0)"),
                 "expected at least 1, found 0"));
  CHECK(contains(build_error("range(3) | group_by_window(x -> cast(x, int32), (k, w) -> w, 1)"),
                 "expected a scalar int64, found int32; convert it, as in cast(x, int64)"));
  CHECK(contains(build_error("range(3) | group_by_window(x -> x, (k, w) -> k, 1)"), "expected a dataset"));
  CHECK(contains(build_error("range(3) | group_by_window(x -> x, (k, w) -> w, \"2\")"), "expected"));
  CHECK(contains(build_error("range(3) | group_by_window(x -> x, (k, w) -> w, k -> \"2\")"),
                 "expected a scalar int64, found string"));
}

TEST_CASE("group_by_window: positions in groups, between them and in the rest") {
  for (const std::string text :
       {"range(40) | group_by_window(x -> (x * x) % 7, (k, w) -> w | batch(3), 5)",
        "range(40) | group_by_window(x -> x // 9, (k, w) -> w | map(x -> (k, x)), k -> k + 2)",
        "range(3000) | group_by_window(x -> x % 2, (k, w) -> w | batch(300), 1100)"}) {
    INFO(text);
    const Lines all = run(text);
    for (size_t count = 0; count <= all.size(); ++count)
      CHECK(run_restored(text, static_cast<int64_t>(count)) ==
            Lines(all.begin() + static_cast<ptrdiff_t>(count), all.end()));
  }
}

}  // namespace
}  // namespace weir::test
