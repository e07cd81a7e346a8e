#include "ops/contract.h"
#include "ops/pipelines.h"

namespace weir::test {
namespace {

const std::string kCounts =
    " | group_by_reducer(x -> x % 3, k -> (k, 0, 0), ((k, n, s), x) -> (k, n + 1, s + x), s -> s)";

const ContractEntries group_by_reducer_contract(
    "group_by_reducer",
    {{"PROBE" + kCounts, anything, false},
     {"PROBE | map(x -> (x, string_length(\"abc\"))) | group_by_reducer((x, y) -> x // 5, k -> zeros([2]), "
      "(s, (x, y)) -> s + float32(x), s -> s)",
      anything, false},
     {"range(3) | flat_map(n -> range(n * 9) | group_by_reducer(x -> x % (n + 1), k -> n, (s, x) -> s + x, s -> (n, s)))",
      anything, false},
     {"range(23)" + kCounts + " | prefetch(2) | repeat(2)", anything, false},
     {"range(23) | shuffle(5, seed: 1) | group_by_reducer(x -> x % 4, k -> k, (s, x) -> s * 3 + x, s -> s)",
      anything, false}},
    kLosesPlaces | kLosesOrder);

TEST_CASE("group_by_reducer: a state for each key, the least key first") {
  for (int rows : {1, 2, 64}) {
    INFO(rows);
    CHECK(run("from_tensor_slices([5, -2, 5, 9, -2, 5]) | "
              "group_by_reducer(x -> x, k -> (k, 0), ((k, n), x) -> (k, n + 1), (k, n) -> {k, n})",
              rows) == Lines{"{k: -2, n: 2}", "{k: 5, n: 3}", "{k: 9, n: 1}"});
    CHECK(run("range(8)" + kCounts, rows) == Lines{"(0, 3, 9)", "(1, 3, 12)", "(2, 2, 7)"});
    CHECK(run("range(0)" + kCounts, rows).empty());
  }
}

TEST_CASE("group_by_reducer: elements come in their order, also in runs of one key") {
  CHECK(run("from_tensor_slices([1, 1, 1, 2, 1, 2, 2]) | enumerate() | "
            "group_by_reducer((i, x) -> x, k -> 0, (s, (i, x)) -> s * 10 + i, s -> s)") ==
        Lines{"124", "356"});
}

TEST_CASE("group_by_reducer: more than one block, and more keys than rows of a block") {
  CHECK(run("range(9000)" + kCounts) ==
        Lines{"(0, 3000, 13495500)", "(1, 3000, 13498500)", "(2, 3000, 13501500)"});
  const Lines lines =
      run("range(9000) | group_by_reducer(x -> 7 - x % 4500, k -> k, (s, x) -> s + x, s -> s)", 1000);
  REQUIRE(lines.size() == 4500);
  CHECK(lines[0] == "9006");
  CHECK(lines[4499] == "4507");
}

TEST_CASE("group_by_reducer: states of strings, structures and changing shapes") {
  CHECK(run("from_tensor_slices([\"bb\", \"a\", \"cc\", \"d\"]) | "
            "group_by_reducer(s -> string_length(s), _ -> \"<\", (t, s) -> t + s, t -> t + \">\")") ==
        Lines{"\"<ad>\"", "\"<bbcc>\""});
  CHECK(spec("range(5) | group_by_reducer(x -> x % 2, k -> [k], (s, x) -> concat([s, [x]], 0), s -> s)") ==
        "int64[?]");
  CHECK(run("range(5) | group_by_reducer(x -> x % 2, k -> [k], (s, x) -> concat([s, [x]], 0), s -> s)") ==
        Lines{"[0, 0, 2, 4]", "[1, 1, 3]"});
  // Keys of a state may stand in any order.
  CHECK(
      run("range(5) | group_by_reducer(x -> x % 2, k -> {a: k, b: 0.5}, ({a, b}, x) -> {b: b * 2.0, a: a + x}, "
          "s -> s)") == Lines{"{a: 6, b: 4.0}", "{a: 5, b: 2.0}"});
}

TEST_CASE("group_by_reducer: errors come at once and change no state") {
  for (int rows : {1, 64}) {
    INFO(rows);
    CHECK(run("probe(9, errors: \"2,5\")" + kCounts, rows) ==
          Lines{"error: data_loss", "error: data_loss", "(0, 3, 9)", "(1, 3, 12)", "(2, 1, 8)"});
    // The key, init, reduce and finalize fail.
    CHECK(run("range(5) | group_by_reducer(x -> 6 // (x - 1), k -> k, (s, x) -> s + x, s -> s)", rows) ==
          Lines{"error: invalid_argument", "-6", "6", "6", "8"});
    CHECK(run("range(5) | group_by_reducer(x -> x % 3, k -> 6 // (k - 1), (s, x) -> s + x, s -> s)", rows) ==
          Lines{"error: invalid_argument", "error: invalid_argument", "-3", "8"});
    CHECK(run("range(6) | group_by_reducer(x -> x % 2, k -> k, (s, x) -> s + 6 // (x - 2), s -> s)", rows) ==
          Lines{"error: invalid_argument", "0", "3"});
    CHECK(run("range(6) | group_by_reducer(x -> x % 3, k -> k, (s, x) -> s + x, s -> 6 // (s - 6))", rows) ==
          Lines{"-2", "error: invalid_argument", "2"});
    // Each element of a key fails: it has no group.
    CHECK(run("range(6) | group_by_reducer(x -> x % 2, k -> k, (s, x) -> s + 6 // (x % 2), s -> s)", rows) ==
          Lines{"error: invalid_argument", "error: invalid_argument", "error: invalid_argument", "19"});
  }
}

TEST_CASE("group_by_reducer: a run of one key that fails in its middle goes on after it") {
  CHECK(run("range(9) | group_by_reducer(x -> 1, k -> 0, (s, x) -> s * 2 + 6 // (x % 4 - 3), s -> s)") ==
        Lines{"error: invalid_argument", "error: invalid_argument", "-362"});
}

TEST_CASE("group_by_reducer: what it is built with") {
  CHECK(spec("range(9)" + kCounts) == "(int64, int64, int64)");
  CHECK(cardinality("range(7)" + kCounts) == -2);
  const auto mistake = [](const std::string& arguments) {
    return build_error("range(3) | group_by_reducer(" + arguments + ")");
  };
  CHECK(contains(mistake("x -> 1.0, k -> k, (s, x) -> s, s -> s"), "expected a scalar int64, found float32"));
  CHECK(contains(mistake("x -> x, k -> k, (s, x) -> 1.0, s -> s"), "a state keeps its structure"));
  CHECK(contains(mistake("x -> x, 0, (s, x) -> s, s -> s"), "expected a lambda or a @callback"));
  CHECK(contains(mistake("x -> x, k -> range(k), (s, x) -> s, s -> s"), "expected a state without datasets"));
  // What follows from a mistake is not said again.
  const std::string one = mistake("x -> x, k -> nothing_here, (s, x) -> s + x, s -> s");
  CHECK(contains(one, "nothing_here"));
  CHECK(!contains(one, "finalize"));
  CHECK(contains(build_error("range(1) | repeat()" + kCounts), "expected a finite dataset"));
}

TEST_CASE("group_by_reducer: positions between errors and between groups") {
  for (const std::string& text :
       {"probe(40, errors: \"3,4,17,39\")" + kCounts,
        std::string(
            "range(40) | group_by_reducer(x -> (x * x) % 7, k -> \"\", (s, x) -> s + where(x % 2 == 0, "
            "\"ab\", \"c\"), s -> s)"),
        std::string("probe(3000, errors: \"2100\") | group_by_reducer(x -> x % 4, k -> [k], (s, x) -> "
                    "concat([s, [x]], 0), s -> shape(s))")}) {
    INFO(text);
    const Lines all = run(text);
    for (size_t count = 0; count <= all.size(); ++count)
      CHECK(run_restored(text, static_cast<int64_t>(count)) ==
            Lines(all.begin() + static_cast<ptrdiff_t>(count), all.end()));
  }
}

}  // namespace
}  // namespace weir::test
