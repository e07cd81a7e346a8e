// Random functions draw anew in each epoch and each opening, and repeat their draws from a saved position.
// Tested without a shuffle, whose own order would hide repeated draws.
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "support/pipeline.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

// So many values that no two of a test are equal by chance.
const std::string kDraw = "random_uniform([], max: 1000000000000, dtype: int64, seed: 3)";

std::string drawing(std::string text) {
  for (size_t at = 0; (at = text.find("DRAW", at)) != std::string::npos; at += kDraw.size()) {
    text.replace(at, 4, kDraw);
  }
  return text;
}

struct Epochs {
  const char* text;
  size_t rows;
};

// Each gives `rows` draws, all of them different.
const Epochs kDrawTexts[] = {
    {"range(4) | map(x -> DRAW) | repeat(3)", 12},
    {"range(1) | map(x -> DRAW) | repeat(5)", 5},
    {"range(3) | map(x -> DRAW) | repeat(2) | repeat(2)", 12},
    {"range(4) | map(x -> DRAW, num_parallel_calls: 2) | repeat(3)", 12},
    {"range(4) | map(x -> DRAW) | prefetch(3) | repeat(2) | prefetch(2)", 8},
    {"range(4) | repeat(3) | map(x -> DRAW)", 12},
    {"range(5) | map(x -> DRAW) | batch(2) | repeat(2) | flat_map(v -> from_tensor_slices(v))", 10},
    {"range(2) | map(x -> (DRAW, DRAW)) | repeat(2) | flat_map((a, b) -> from_tensor_slices([a, b]))", 8},
    {"range(3) | flat_map(x -> range(2) | map(y -> DRAW)) | repeat(2)", 12},
    {"range(3) | flat_map(x -> range(2) | map(y -> DRAW) | repeat(2))", 12},
    {"range(2) | interleave(x -> range(2) | map(y -> DRAW) | repeat(2), cycle_length: 2) | repeat(2)", 16},
    {"range(4) | map(x -> range(3) | map(y -> DRAW) | reduce(0, (s, y) -> s + y)) | repeat(2)", 8},
    {"range(4) | map(x -> if x % 2 == 0 then DRAW else 0 - DRAW) | repeat(2)", 8},
    {"range(2) | map(x -> DRAW) | concatenate(range(2) | map(x -> DRAW)) | repeat(2)", 8},
    {"range(300) | filter(x -> x % 50 == 7) | map(x -> DRAW) | repeat(2)", 12},
};

TEST_CASE("contract: random draws differ between epochs, and come back with a position", "[contract]") {
  ThreadsRuntime runtime(2);
  ThreadsRuntime other(1);
  for (const Epochs& epochs : kDrawTexts) {
    INFO(epochs.text);
    const std::string text = drawing(epochs.text);
    const Lines whole = all_lines(*runtime, text);
    CHECK(whole.size() == epochs.rows);
    CHECK(std::set<std::string>(whole.begin(), whole.end()).size() == epochs.rows);
    for (int rows : {1, 3, 64}) CHECK(all_lines(*other, text, rows) == whole);
    auto iterator = open_text(*runtime, text);
    for (size_t position = 0; position <= whole.size(); ++position) {
      INFO("saved after " << position);
      const std::string saved = require_value(iterator->save());
      CHECK(all_lines(*open_text(*other, text, &saved)) ==
            Lines(whole.begin() + static_cast<int64_t>(position), whole.end()));
      take_lines(*iterator, 1);
    }
  }
}

TEST_CASE("contract: which rows a random condition keeps differs between epochs", "[contract]") {
  ThreadsRuntime runtime;
  const std::string text = "range(64) | filter(x -> random_uniform([], seed: 7) < 0.5)";
  const Lines one = all_lines(*runtime, text + " | repeat(1)");
  const Lines two = all_lines(*runtime, text + " | repeat(2)");
  CHECK(one.size() > 10);
  CHECK(one.size() < 54);
  REQUIRE(two.size() > one.size());
  const auto second = two.begin() + static_cast<int64_t>(one.size());
  CHECK(Lines(two.begin(), second) == one);
  CHECK_FALSE(Lines(second, two.end()) == one);
}

// Adds the iterator's values to `seen`; all of them must be new.
Lines read_new(Iterator& iterator, std::set<std::string>& seen) {
  const Lines lines = all_lines(iterator);
  REQUIRE(lines.size() == 4);
  for (const std::string& line : lines) CHECK(seen.insert(line).second);
  return lines;
}

TEST_CASE("contract: random draws differ between initialisations of an iterator, and none is forgotten",
          "[contract]") {
  ThreadsRuntime runtime;
  const std::string other_text = "range(3) | map(x -> x + 1)";
  for (const std::string& text :
       {drawing("range(4) | map(x -> DRAW)"), drawing("range(2) | map(x -> DRAW) | repeat(2)"),
        drawing("range(2) | flat_map(x -> range(2) | map(y -> DRAW))"),
        drawing("range(4) | map(x -> DRAW, num_parallel_calls: 2) | prefetch(2)")}) {
    INFO(text);
    const DocumentRef document = parse_text(*runtime, text);
    const DocumentRef other = parse_text(*runtime, other_text);
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    std::set<std::string> seen;
    require_ok(iterator->initialize(document, {{}, nullptr}));
    const Lines first = read_new(*iterator, seen);
    require_ok(iterator->initialize(document, {{}, nullptr}));
    const Lines second = read_new(*iterator, seen);
    // With another dataset in between, abandoned halfway.
    require_ok(iterator->initialize(other, {{}, nullptr}));
    all_lines(*iterator);
    require_ok(iterator->initialize(document, {{}, nullptr}));
    const Lines begun = take_lines(*iterator, 2);
    const std::string saved = require_value(iterator->save());
    Lines third = begun;
    for (std::string& line : all_lines(*iterator)) third.push_back(std::move(line));
    for (const std::string& line : third) CHECK(seen.insert(line).second);
    require_ok(iterator->initialize(document, {{}, nullptr}));
    const Lines fourth = read_new(*iterator, seen);

    // The same text in an iterator of its own begins with the first opening.
    CHECK(all_lines(*runtime, text) == first);
    // A position belongs to its opening, and openings after it go on counting.
    auto restored = open_text(*runtime, text, &saved);
    CHECK(all_lines(*restored) == Lines(third.begin() + 2, third.end()));
    require_ok(restored->initialize(document, {{}, nullptr}));
    CHECK(all_lines(*restored) == fourth);
  }
}

}  // namespace
}  // namespace weir
