#include "ops/contract.h"
#include "ops/written_folders.h"

namespace weir::test {
namespace {

const ContractEntries cache_contract(
    "cache",
    {{"PROBE | cache()", [](int64_t k) { return k; }},
     {"PROBE | cache() | repeat(3)", anything, false},
     {"PROBE | shuffle(9, seed: 4) | cache() | shuffle(5, seed: 2) | repeat(2) | batch(3)", anything, false},
     {"PROBE | map(x -> (x, if x % 3 == 0 then \"a\" else \"bcd\")) | cache() | prefetch(2) | repeat(2)",
      anything, false},
     {"PROBE | shuffle(30, seed: 1) | cache() | take(7) | repeat(3)", anything, false},
     {"PROBE | flat_map(x -> range(x % 4) | shuffle(3, seed: 5) | cache() | repeat(2) | cache())", anything,
      false},
     {"range(9) | shuffle(9, seed: 8) | cache() | repeat(2) | concatenate(range(30) | cache()) | cache() | repeat(2)",
      anything},
     {"PROBE | " + call("cache", locked_folder("cache_passed")), anything},
     {"range(3) | flat_map(x -> range(9) | " + call("cache", lasting_folder("cache_nested")) + ") | batch(4)",
      anything}},
    kLosesPlaces | kOpens);

Lines twice(Lines lines) {
  const size_t count = lines.size();
  for (size_t i = 0; i < count; ++i) lines.push_back(lines[i]);
  return lines;
}
Lines first_half(const Lines& lines) {
  return {lines.begin(), lines.begin() + static_cast<int64_t>(lines.size() / 2)};
}

TEST_CASE("cache gives again what it has read, for any width of blocks") {
  for (const char* text :
       {"range(2500) | map(x -> x * 3)", "range(1024) | map(x -> (x, full([x % 5], x)))",
        "range(1025) | map(x -> {name: if x % 3 == 0 then \"a\" else \"bcd\", y: full([3], x)})", "range(0)",
        "range(1)", "range(700) | map(x -> full([300], x)) | map(x -> x + 1)"}) {
    INFO(text);
    const Lines clean = run(text, 100);
    for (int rows : {1, 7, 1024}) {
      CHECK(run(std::string(text) + " | cache()", rows) == clean);
      CHECK(run(std::string(text) + " | cache() | repeat(2)", rows) == twice(clean));
    }
  }
}

TEST_CASE("cache reads its input once") {
  // Drawn anew, or in another order, they would differ.
  for (const char* text :
       {"range(3000) | map(x -> random_uniform([]))", "range(300) | shuffle(300)",
        "range(60) | shuffle(9) | repeat(2)", "range(20) | shuffle(20) | cache() | shuffle(20)"}) {
    INFO(text);
    const Lines lines = run(std::string(text) + " | cache() | repeat(2)", 64);
    CHECK(lines == twice(first_half(lines)));
    const Lines ahead = run(std::string(text) + " | cache() | prefetch(2) | repeat(2)", 64);
    CHECK(ahead == twice(first_half(ahead)));
  }
  // The first pass has the order that there would be without it.
  CHECK(run("range(30) | shuffle(30, seed: 7) | cache() | repeat(2)") ==
        twice(run("range(30) | shuffle(30, seed: 7)")));
  // What comes after it goes on drawing.
  const Lines after = run("range(50) | cache() | shuffle(50, seed: 7) | repeat(2)");
  CHECK(after == run("range(50) | shuffle(50, seed: 7) | repeat(2)"));
  CHECK(after != twice(first_half(after)));
}

TEST_CASE("cache passes errors on at once and leaves them out later") {
  for (int rows : {1, 3, 100}) {
    CHECK(run("range(4) | map(x -> assert(x != 1, \"one\", x)) | cache() | repeat(3)", rows) ==
          Lines{"0", "error: invalid_argument", "2", "3", "0", "2", "3", "0", "2", "3"});
    CHECK(run("range(2) | map(x -> assert(x < 0, \"none\", x)) | cache() | repeat(2)", rows) ==
          Lines{"error: invalid_argument", "error: invalid_argument"});
  }
}

TEST_CASE("cache keeps nothing of a pass that ends early, unless it has come to the last element") {
  CHECK(run("range(9) | shuffle(9, seed: 3) | cache() | take(4) | repeat(3)") ==
        run("range(9) | shuffle(9, seed: 3) | take(4) | repeat(3)"));
  const Lines whole = run("range(9) | shuffle(9, seed: 3) | cache() | take(9) | repeat(2)");
  CHECK(whole == twice(run("range(9) | shuffle(9, seed: 3)")));
  CHECK(run("range(9) | shuffle(9, seed: 3) | cache() | take(8) | repeat(2)") !=
        twice(run("range(9) | shuffle(9, seed: 3) | take(8)")));
}

TEST_CASE("cache in a lambda belongs to the open dataset") {
  CHECK(run("range(3) | flat_map(x -> range(x) | map(y -> x * 10 + y) | cache() | repeat(2))") ==
        Lines{"10", "10", "20", "21", "20", "21"});
  CHECK(
      run("range(2) | interleave(x -> range(2) | map(y -> x * 10 + y) | cache() | repeat(2), cycle_length: 2)") ==
      Lines{"0", "10", "1", "11", "0", "10", "1", "11"});
  // One outside is shared.
  const Lines outer = run("let d = range(40) | shuffle(40) | cache()\nrange(3) | flat_map(x -> d)");
  REQUIRE(outer.size() == 120);
  CHECK(std::equal(outer.begin(), outer.begin() + 40, outer.begin() + 40));
  CHECK(std::equal(outer.begin(), outer.begin() + 40, outer.begin() + 80));
}

TEST_CASE("cache: what was drawn without a seed is the same after a restore, before and after it is full") {
  const std::string text =
      "range(9) | shuffle(9, seed: 6) | map(x -> x) | cache() | shuffle(3, seed: 1) | repeat(3)";
  const Lines all = run(text);
  for (int taken = 0; taken <= 27; ++taken)
    CHECK(run_restored(text, taken) == Lines(all.begin() + taken, all.end()));
}

TEST_CASE("cache: its number of elements is the input's, and it asks for no more than it gives") {
  CHECK(cardinality("range(7) | cache()") == 7);
  CHECK(cardinality("range(7) | filter(x -> true) | cache()") == -2);
  CHECK(demand("probe(50) | cache() | take(3)", 9) == 3);
}

TEST_CASE("cache with a file writes it in the first epoch and reads it in the second") {
  TemporaryFolder folder;
  const std::string cache = call("cache", folder.at("c"));
  CHECK(demand("probe(5) | " + cache + " | repeat(3)", 99) == 5);
  CHECK(files_in(folder.at("c")).size() == 2);
  // Another iterator reads it, too, and the input is not opened.
  CHECK(demand("probe(5) | " + cache, 9) == 0);
  CHECK(run("probe(5) | " + cache) == Lines{"0", "1", "2", "3", "4"});
  CHECK(run("probe(6) | " + cache) == Lines{"error: failed_precondition"});
  CHECK(contains(build_error("range(2) | map(x -> range(x)) | " + cache), "dataset"));
  // In memory they are nested datasets like others.
  CHECK(run("range(3) | map(x -> range(x)) | cache() | repeat(2) | flat_map(d -> d)") ==
        Lines{"0", "0", "1", "0", "0", "1"});
}

}  // namespace
}  // namespace weir::test
