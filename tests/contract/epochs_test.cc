// Which epoch of a shuffle each of its uses gets, and that restoring changes none of them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/pipeline.h"
#include "support/probe.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

constexpr int kRows = 5;
const std::string kShuffled = "range(5) | shuffle(5, seed: 3)";
const std::string kLet = "let d = " + kShuffled + "\n";

// The first epochs, one line each.
std::map<std::string, int> epochs(Runtime& runtime) {
  std::map<std::string, int> out;
  // Two of the first twenty are equal.
  for (const std::string& line : all_lines(runtime, kShuffled + " | batch(5) | repeat(12)")) {
    out.emplace(line, static_cast<int>(out.size()));
  }
  return out;
}

// The epochs that the elements of the text belong to, "0 1 3"; "?" for an order that is none of them.
std::string epochs_of(Runtime& runtime, const std::string& text, int rows) {
  const std::map<std::string, int> known = epochs(runtime);
  const Lines lines = all_lines(runtime, text, rows);
  std::string out;
  for (size_t i = 0; i < lines.size(); i += kRows) {
    std::string epoch = "[";
    for (size_t k = i; k < std::min(i + kRows, lines.size()); ++k) epoch += (k > i ? ", " : "") + lines[k];
    auto found = known.find(epoch + "]");
    out += (i > 0 ? " " : "") + (found == known.end() ? "?" : std::to_string(found->second));
  }
  return out;
}

struct Expected {
  const char* text;
  // As in TensorFlow 2.21, without its graph rewrites.
  const char* epochs;
};

TEST_CASE("epochs: each opening of a shuffle takes the next one, as in tf.data", "[contract]") {
  const std::vector<Expected> cases = {
      {"d | repeat(2)", "0 1"},
      // The opening after the last epoch counts.
      {"d | repeat(2) | repeat(2)", "0 1 3 4"},
      {"d | repeat(2) | repeat(2) | repeat(2)", "0 1 3 4 7 8 10 11"},
      {"d | repeat(2) | concatenate(d)", "0 1 3"},
      {"d | filter(x -> x > 9) | repeat(2) | concatenate(d)", "3"},
      {"d | repeat(2) | prefetch(1) | concatenate(d)", "0 1 3"},
      {"d | map(x -> x, num_parallel_calls: 2) | repeat(2) | concatenate(d)", "0 1 3"},
      // An end that is not asked for does not.
      {"d | repeat(2) | take(10) | concatenate(d)", "0 1 2"},
      {"d | repeat() | take(10) | concatenate(d)", "0 1 2"},
      {"d | concatenate(d) | repeat(2)", "0 1 2 3"},
      {"d | take(0) | concatenate(d)", "0"},
      {"d | take(-1) | concatenate(d)", "0 1"},
      {"d | skip(-1) | concatenate(d)", "0"},
      {"d | skip(0) | concatenate(d)", "0 1"},
      {"d | skip(5) | concatenate(d)", "1"},
      {"d | repeat(0) | concatenate(d)", "0"},
      // When one input of a zip ends, those after it still advance.
      {"zip(range(5), d | repeat()) | map((a, b) -> b) | concatenate(d)", "0 2"},
      {"zip(d | repeat(), range(5)) | map((a, b) -> a) | concatenate(d)", "0 2"},
      {"zip(range(5), range(9) | flat_map(x -> d)) | map((a, b) -> b) | concatenate(d)", "0 2"},
      // A shuffle opens its input at its first pull.
      {"d | shuffle(1, seed: 1) | repeat(2) | concatenate(d)", "0 1 2"},
      {"range(3) | flat_map(x -> d)", "0 1 2"},
      {"range(2) | flat_map(x -> d | repeat(2)) | repeat(2)", "0 1 3 4 6 7 9 10"},
      {"d | flat_map(x -> d) | take(15)", "1 2 3"},
      {"range(2) | flat_map(x -> range(2) | flat_map(y -> d))", "0 1 2 3"},
      {"range(1) | interleave(x -> d, cycle_length: 2) | concatenate(d)", "0 1"},
      {"range(2) | flat_map(x -> zip(d, d) | map((a, b) -> a))", "0 2"},
      {"zip(d, range(2) | flat_map(x -> d) | take(0)) | map((a, b) -> a) | concatenate(d)", "1"},
      {"range(2) | map(x -> d) | flat_map(e -> e | repeat(2))", "0 1 3 4"},
      // What a lambda makes begins anew in each call.
      {"range(2) | flat_map(x -> range(5) | shuffle(5, seed: 3) | repeat(2))", "0 1 0 1"},
      {"range(2) | flat_map(x -> let e = (range(5) | shuffle(5, seed: 3)) in (range(2) | flat_map(y -> e)))",
       "0 1 0 1"},
      {"range(2) | map(x -> range(5) | shuffle(5, seed: 3)) | flat_map(e -> e | repeat(2))", "0 1 0 1"},
  };
  ThreadsRuntime runtime;
  for (const Expected& expected : cases) {
    for (int rows : {1, 3, 64}) {
      INFO(expected.text << ", " << rows << " rows at a time");
      CHECK(epochs_of(*runtime, kLet + expected.text, rows) == expected.epochs);
    }
  }
  CHECK(epochs_of(*runtime,
                  "let e = range(2) | flat_map(z -> " + kShuffled + ")\nrange(2) | flat_map(y -> e)",
                  3) == "0 0 0 0");
}

// What an iterator gives that begins with this epoch.
Lines lines_of_epoch(Runtime& runtime, const DocumentRef& document, uint64_t epoch) {
  const auto iterator = OpenIterator(new Iterator(runtime, nullptr, document->spec(), document));
  require_ok(iterator->initialize(nullptr, {.params = {}, .epoch = epoch}));
  return all_lines(*iterator);
}

TEST_CASE("epochs: a new iterator begins with the one that it is told", "[contract]") {
  ThreadsRuntime runtime;
  // One iterator that goes through them again and again counts what it opens; a new one is told how often
  // that was.
  for (const std::string& text : std::vector<std::string>{
           kShuffled, kShuffled + " | repeat(2)", kShuffled + " | repeat(2) | repeat(3)",
           kShuffled + " | repeat(0) | concatenate(range(3))", kShuffled + " | take(7)",
           kShuffled + " | take(7) | repeat(3)", kShuffled + " | repeat(2) | shuffle(3, seed: 5) | repeat(2)",
           kShuffled + " | map(x -> x + 1, num_parallel_calls: 2) | prefetch(3) | repeat(2)",
           kShuffled + " | filter(x -> x > 9) | repeat(2)",
           "let d = " + kShuffled + "\nd | repeat(2) | concatenate(d) | concatenate(d)",
           "let d = " + kShuffled + "\nzip(d, d) | repeat(2)",
           "let d = " + kShuffled + "\nrange(3) | flat_map(x -> d | take(2)) | repeat(2)",
           "let d = " + kShuffled + "\nrange(3) | interleave(x -> d, cycle_length: 2)",
           kShuffled + " | shuffle(5, seed: 7) | take(4)",
           kShuffled + " | batch(2) | shuffle(3, seed: 7) | unbatch() | take(3)",
           kShuffled + " | shuffle(5, seed: 7) | prefetch(2) | take_while(x -> x < 100)",
           kShuffled + " | shuffle(5, seed: 7) | assert_cardinality(5) | take(4)",
           "range(9) | map(x -> random_uniform([], seed: 4) + cast(x, float32))",
           "range(9) | shuffle(4, seed: 1) | map(x -> (x, random_uniform([], seed: 4))) | repeat(2)"}) {
    CAPTURE(text);
    const DocumentRef document = parse_text(*runtime, text);
    const auto again = OpenIterator(new Iterator(*runtime, nullptr, document->spec(), document));
    std::vector<Lines> seen;
    for (uint64_t epoch = 0; epoch < 4; ++epoch) {
      CAPTURE(epoch);
      require_ok(again->initialize(nullptr, {{}, nullptr}));
      seen.push_back(all_lines(*again));
      CHECK(lines_of_epoch(*runtime, document, epoch) == seen.back());
    }
    if (text.find("repeat(0)") == std::string::npos && !seen[0].empty()) CHECK(seen[1] != seen[2]);
  }
}

TEST_CASE("epochs: where the data says how often a shuffle opens, they differ all the same", "[contract]") {
  ThreadsRuntime runtime;
  for (const std::string& text :
       std::vector<std::string>{kShuffled + " | repeat() | take(50)",
                                "let d = " + kShuffled + "\nrange(9) | filter(x -> x > 6) | flat_map(x -> d)",
                                "let d = " + kShuffled + "\nzip(d | repeat(3), range(30))"}) {
    CAPTURE(text);
    const DocumentRef document = parse_text(*runtime, text);
    std::set<Lines> seen;
    for (uint64_t epoch = 0; epoch < 4; ++epoch) seen.insert(lines_of_epoch(*runtime, document, epoch));
    CHECK(seen.size() == 4);
  }
}

TEST_CASE("epochs: a Window counts what led to the last row taken, no less and no more", "[contract]") {
  ThreadsRuntime runtime;
  for (const char* ahead : {"prefetch(100)", "prefetch(1)", "map(x -> x, num_parallel_calls: 2)"}) {
    for (int taken : {1, 4, 5, 6, 10, 11, 15, 16}) {
      INFO(ahead << ", " << taken << " rows taken");
      const std::string count = std::to_string(taken);
      const std::string rest =
          kLet + "d | repeat() | skip(" + std::to_string((taken + 4) / 5 * 5) + ") | take(5)";
      const Lines last = all_lines(*runtime, kLet + "d | repeat() | " + ahead + " | take(" + count +
                                                 ") | concatenate(d) | skip(" + count + ")");
      CHECK(last == all_lines(*runtime, rest));
    }
  }
}

TEST_CASE("epochs: uses side by side take them in the order in which rows need them", "[contract]") {
  ThreadsRuntime runtime;
  const auto joined = [&](const std::string& text, int rows) {
    std::string out;
    for (const std::string& line : all_lines(*runtime, kLet + text, rows)) out += line + " ";
    return out;
  };
  for (int rows : {1, 3, 64}) {
    INFO(rows << " rows at a time");
    CHECK(joined("zip(range(2) | flat_map(x -> d), d | repeat(2))", rows) ==
          "(3, 4) (4, 3) (1, 2) (2, 1) (0, 0) (3, 0) (1, 1) (0, 4) (4, 2) (2, 3) ");
    CHECK(joined("zip(d | repeat(3), d | take(2) | repeat(6))", rows) ==
          "(4, 3) (3, 4) (2, 3) (1, 1) (0, 0) (3, 1) (1, 2) (2, 3) (0, 3) (4, 2) (1, 3) (2, 0) ");
    CHECK(joined("zip(d | concatenate(d), d | concatenate(d))", rows) ==
          "(4, 3) (3, 4) (2, 1) (1, 2) (0, 0) (3, 0) (1, 1) (0, 4) (4, 2) (2, 3) ");
    CHECK(joined("range(3) | interleave(x -> d | map(y -> y + 10 * x), cycle_length: 2, block_length: 5)",
                 rows) == "4 3 2 1 0 13 14 11 12 10 23 21 20 24 22 ");
  }
}

TEST_CASE("epochs: a row that drains a shuffle has an order of its own", "[contract]") {
  ThreadsRuntime runtime;
  const std::string digits = "reduce(0, (s, y) -> 10 * s + y)";
  const std::string drained = "range(20) | map(x -> d | " + digits + ")";
  const Lines lines = all_lines(*runtime, kLet + drained);
  CHECK(std::count(lines.begin(), lines.end(), lines[0]) < 20);
  CHECK(all_lines(*runtime, kLet + drained, 7) == lines);
  CHECK(all_lines(*runtime, kLet + "range(20) | map(x -> d | " + digits + ", num_parallel_calls: 3)") ==
        lines);
  // It takes no epoch from the others.
  CHECK(epochs_of(*runtime, kLet + "zip(d | repeat(2), " + drained + ") | map((a, b) -> a)", 1) == "0 1");
  // Without reshuffling there is only one order.
  const Lines fixed = all_lines(
      *runtime, "let d = range(5) | shuffle(5, seed: 3, reshuffle_each_iteration: false)\n" + drained);
  CHECK(std::count(fixed.begin(), fixed.end(), fixed[0]) == 20);
}

TEST_CASE("epochs: a finite repeat goes on over epochs that give nothing", "[contract]") {
  ThreadsRuntime runtime;
  CHECK(all_lines(*runtime, "range(5) | shuffle(5, seed: 1) | take(1) | filter(x -> x > 2) | repeat(6)") ==
        Lines{"3", "3"});
  // Without a count it ends with the first of them.
  CHECK(all_lines(*runtime, "range(5) | shuffle(5, seed: 1) | take(1) | filter(x -> x > 2) | repeat()")
            .empty());
  CHECK(all_lines(*runtime, "empty(int64) | repeat(1000000000000)").empty());
}

TEST_CASE("epochs: an input that answers pending lets no other one take its epoch", "[contract]") {
  register_probe();
  ThreadsRuntime runtime;
  const auto lines = [&](const std::string& probe) {
    return all_lines(*runtime, kLet + "zip(" + probe + " | flat_map(x -> d), d | repeat(3))", 4);
  };
  const Lines clean = lines("probe(3)");
  for (int seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    CHECK(lines("probe(3, pending: " + std::to_string(seed) + ")") == clean);
  }
}

// Restores after every `step` blocks, reads on in blocks of several widths, and saves again on the way.
void check_restores(const std::string& text, int step = 1) {
  INFO(text);
  ThreadsRuntime runtime(1);
  ThreadsRuntime other(3);
  const Lines whole = all_lines(*runtime, text);
  REQUIRE(!whole.empty());
  for (int width : {1, 4, 64}) {
    auto iterator = open_text(*runtime, text);
    for (size_t position = 0; position <= whole.size();) {
      INFO("saved after " << position << ", " << width << " rows at a time");
      const std::string saved = require_value(iterator->save());
      const Lines tail(whole.begin() + static_cast<int64_t>(position), whole.end());
      auto restored = open_text(*other, text, &saved);
      CHECK(all_lines(*restored, width) == tail);
      auto chained = open_text(*other, text, &saved);
      Lines lines = take_lines(*chained, 3 * step, width);
      while (lines.empty() || lines.back() != "end") {
        const std::string again = require_value(chained->save());
        chained = open_text(*runtime, text, &again);
        const Lines more = take_lines(*chained, 3 * step, width);
        lines.insert(lines.end(), more.begin(), more.end());
      }
      lines.pop_back();
      CHECK(lines == tail);
      const Lines next = take_lines(*iterator, step * width, width);
      if (next.empty() || next.back() == "end") break;
      position += next.size();
    }
  }
}

TEST_CASE("epochs: restored anywhere, every use goes on with its own", "[contract]") {
  constexpr const char* kTexts[] = {
      "zip(d, d) | repeat(3)",
      "zip(d | repeat(3), d | repeat(3))",
      "zip(d | repeat(3), d | take(2) | repeat(6)) | batch(4)",
      "zip(d | concatenate(d), d | filter(x -> x > 1) | repeat(5))",
      "zip(d | repeat(2) | batch(3), d | repeat(4) | shuffle(6, seed: 5)) | repeat(2)",
      "zip(range(3) | flat_map(x -> d), d | repeat(4)) | shuffle(4, seed: 2)",
      "zip(range(4) | interleave(x -> d | map(y -> y + 10 * x), cycle_length: 3, block_length: 2), d | repeat(4))",
      "range(3) | flat_map(x -> zip(d | repeat(2), d | repeat(2)) | batch(3)) | repeat(2)",
      "range(3) | flat_map(x -> range(2) | flat_map(y -> d | batch(2)))",
      "range(2) | map(x -> d) | flat_map(e -> e | repeat(2) | batch(2)) | repeat(2)",
      "range(2) | map(x -> range(5) | shuffle(5, seed: 3)) | flat_map(e -> e | repeat(2)) | repeat(2)",
      "d | repeat(2) | prefetch(3) | repeat(2) | batch(3)",
      "zip(d | repeat(2) | prefetch(3), d | repeat(2) | prefetch(2)) | repeat(2) | batch(3)",
      "zip(d | repeat(2) | map(x -> x, num_parallel_calls: 2), d | repeat(2)) | repeat(2)",
      "zip(d, d) | repeat(3) | prefetch(2) | shuffle(4, seed: 1)",
      "range(3) | flat_map(x -> zip(d, d) | prefetch(2)) | repeat(2)",
      "d | repeat(3) | shuffle(7, seed: 9) | repeat(2) | batch(4)",
      "zip(d, d | repeat()) | repeat(3)",
      "d | take(2) | filter(x -> x > 2) | repeat(9) | concatenate(d)",
      "range(40) | map(x -> x, num_parallel_calls: 2) | shuffle(1, seed: 7)",
  };
  for (const char* text : kTexts) {
    check_restores(kLet + text);
  }
}

// Long enough for anchors on the way, which hold states of Windows and of open datasets.
TEST_CASE("epochs: restored from an anchor on the way, every use goes on with its own", "[contract]") {
  constexpr const char* kTexts[] = {
      "zip(d | repeat(30), d | repeat(30))",
      "zip(d | repeat(20) | prefetch(3), d | repeat(20) | prefetch(2))",
      "zip(d | repeat(9) | prefetch(3), d | repeat(9)) | repeat(3) | prefetch(7) | batch(4)",
      "zip(range(20) | flat_map(x -> d), d | repeat(30) | filter(x -> x > 0)) | shuffle(9, seed: 1)",
      "range(9) | flat_map(x -> zip(d | repeat(3) | prefetch(2), d | repeat(3))) | batch(3)",
      "zip(range(30) | interleave(x -> d | take(4), cycle_length: 3), d | repeat(22)) | shuffle(5, seed: 8)",
      "range(20) | map(x -> d) | flat_map(e -> e | repeat(2)) | batch(7) | repeat(2)",
  };
  for (const char* text : kTexts) {
    check_restores(kLet + text, 17);
  }
}

}  // namespace
}  // namespace weir
