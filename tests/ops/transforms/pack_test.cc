#include <algorithm>
#include <random>

#include "ops/contract.h"
#include "ops/pipelines.h"
#include "ops/written_folders.h"
#include "support/sanitized.h"

namespace weir::test {
namespace {

const ContractEntries pack_contract(
    "pack",
    {{"PROBE | map(x -> full([x % 5], x)) | pack(6, bins: 3)", anything, false},
     {"PROBE | map(x -> full([x % 5], x)) | pack(6, strategy: \"best_fit\", bins: 3, long: \"split\")",
      anything, false},
     {"PROBE | map(x -> {a: full([x % 7], x), b: full([x % 7], as_string(x))}) | pack(4, strategy: \"concat\", pad: {b: \"-\"})",
      anything, false},
     {"PROBE | map(x -> full([x % 9], x)) | pack(4, long: \"split\", drop_remainder: true) | prefetch(2)",
      anything, false},
     {"range(4) | flat_map(n -> range(7 * n) | map(x -> full([x % 5], x)) | pack(4 + n, bins: n))", anything,
      false},
     {"range(23) | shuffle(5, seed: 1) | map(x -> full([x % 5], x)) | pack(6, bins: 2) | repeat(2)", anything,
      false}},
    kLosesPlaces | kLosesOrder);

// What the contract says, in its own words.
struct Model {
  struct Segment {
    int64_t sequence;
    int64_t begin;
    int64_t count;
  };
  struct Bin {
    std::vector<Segment> segments;
    int64_t used = 0;
  };
  int64_t length;
  size_t most_bins;
  std::string strategy;
  std::string too_long;
  bool drop_remainder;
  std::vector<Bin> open;
  Lines lines;

  void give(size_t at) {
    std::string tokens;
    std::string segments;
    std::string places;
    const auto add = [](std::string& to, int64_t value) {
      to += (to.empty() ? "" : ", ") + std::to_string(value);
    };
    int64_t number = 0;
    for (const Segment& segment : open[at].segments) {
      ++number;
      for (int64_t i = 0; i < segment.count; ++i) {
        add(tokens, 100 * segment.sequence + segment.begin + i);
        add(segments, number);
        add(places, i);
      }
    }
    for (int64_t i = open[at].used; i < length; ++i) {
      for (std::string* part : {&tokens, &segments, &places}) add(*part, part == &tokens ? -1 : 0);
    }
    lines.push_back("{tokens: [" + tokens + "], segment_ids: [" + segments + "], positions: [" + places +
                    "]}");
    open.erase(open.begin() + static_cast<ptrdiff_t>(at));
  }

  void put(Segment piece) {
    if (strategy != "concat" && piece.count == length) {
      open.insert(open.begin(), Bin{{piece}, length});
      return give(0);
    }
    size_t chosen = open.size();
    for (size_t i = 0; i < open.size(); ++i) {
      if (length - open[i].used < piece.count) continue;
      if (chosen == open.size()) chosen = i;
      if (strategy == "best_fit" && open[i].used > open[chosen].used) chosen = i;
    }
    if (chosen == open.size()) {
      if (open.size() == most_bins) {
        size_t fullest = 0;
        for (size_t i = 0; i < open.size(); ++i) {
          if (open[i].used > open[fullest].used) fullest = i;
        }
        give(fullest);
      }
      open.emplace_back();
      chosen = open.size() - 1;
    }
    open[chosen].segments.push_back(piece);
    open[chosen].used += piece.count;
    if (open[chosen].used == length) give(chosen);
  }

  void add(int64_t sequence, int64_t count) {
    if (strategy == "concat") {
      for (int64_t begin = 0; begin < count;) {
        const int64_t room = open.empty() ? length : length - open[0].used;
        const int64_t piece = std::min(room, count - begin);
        put({sequence, begin, piece});
        begin += piece;
      }
      return;
    }
    if (count > length && too_long == "error") return lines.emplace_back("error: invalid_argument"), void();
    if (count > length && too_long == "drop") return;
    if (count > length && too_long == "truncate") count = length;
    for (int64_t begin = 0; begin < count; begin += length)
      put({sequence, begin, std::min(length, count - begin)});
  }

  void finish() {
    while (!drop_remainder && !open.empty()) give(0);
  }
};

// A random document, and what the model makes of it.
struct Trial {
  std::string text;
  Lines lines;

  explicit Trial(uint32_t number) {
    std::mt19937 random(number);
    const auto below = [&](uint32_t limit) { return static_cast<int64_t>(random() % limit); };
    const std::vector<std::string> strategies = {"first_fit", "best_fit", "concat"};
    const std::vector<std::string> longs = {"error", "truncate", "split", "drop"};
    Model model{1 + below(10),
                static_cast<size_t>(1 + below(5)),
                strategies[random() % 3],
                longs[random() % 4],
                below(4) == 0,
                {},
                {}};
    if (model.strategy == "concat") model.most_bins = 1;
    const int64_t sequences = 1 + below(16);
    const auto longest = static_cast<uint32_t>(model.length + (below(3) == 0 ? 2 * model.length + 2 : 1));
    std::string lengths;
    for (int64_t i = 1; i <= sequences; ++i) {
      const bool fails = below(16) == 0;
      const int64_t count = below(longest + 1);
      lengths += (i > 1 ? ", " : "") + std::to_string(fails ? 90 : count);
      if (fails)
        model.lines.emplace_back("error: invalid_argument");
      else
        model.add(i, count);
    }
    model.finish();
    lines = model.lines;
    text = "from_tensor_slices([" + lengths +
           "]) | enumerate(start: 1) | map((i, n) -> assert(n < 90, \"bad\", arange(n) + 100 * i)) | pack(" +
           std::to_string(model.length) + ", strategy: \"" + model.strategy + "\", long: \"" +
           model.too_long + "\", pad: -1, bins: " + std::to_string(model.most_bins) +
           ", drop_remainder: " + (model.drop_remainder ? "true" : "false") + ")";
  }
};

constexpr uint32_t kTrials = kSanitized ? 300 : 10000;

TEST_CASE(
    "pack: 10,000 random inputs are packed as the contract says, saved and restored at every position") {
  ThreadsRuntime runtime(1);
  size_t restored = 0;
  for (uint32_t number = 0; number < kTrials; ++number) {
    const Trial trial(number);
    const DocumentRef document = parse_text(*runtime, trial.text);
    const auto open = [&](const std::string* saved) {
      OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
      require_ok(iterator->initialize(document, {{}, saved}));
      return iterator;
    };
    auto iterator = open(nullptr);
    Lines lines;
    for (bool more = true; more;) {
      const std::string saved = require_value(iterator->save());
      const Lines rest = all_lines(*open(&saved), 3);
      const bool same =
          lines.size() + rest.size() == trial.lines.size() &&
          std::equal(rest.begin(), rest.end(), trial.lines.begin() + static_cast<ptrdiff_t>(lines.size()));
      ++restored;
      if (!same) {
        INFO(trial.text);
        INFO("restored after " << lines.size());
        REQUIRE(rest == Lines(trial.lines.begin() +
                                  static_cast<ptrdiff_t>(std::min(lines.size(), trial.lines.size())),
                              trial.lines.end()));
      }
      const Lines next = take_lines(*iterator, 1);
      more = next[0] != "end";
      if (more) lines.push_back(next[0]);
    }
    if (lines != trial.lines) {
      INFO(trial.text);
      REQUIRE(lines == trial.lines);
    }
  }
  CHECK(restored > 5 * kTrials);
}

TEST_CASE("pack: many bins open and close, and their order is kept") {
  for (const char* strategy : {"first_fit", "best_fit"}) {
    for (const int64_t bins : {2, 7, 40, 1000}) {
      std::mt19937 random(static_cast<uint32_t>(bins));
      Model model{60, static_cast<size_t>(bins), strategy, "error", false, {}, {}};
      std::string lengths;
      for (int64_t i = 1; i <= 3000; ++i) {
        const auto count = static_cast<int64_t>(1 + random() % 60);
        lengths += (i > 1 ? ", " : "") + std::to_string(count);
        model.add(i, count);
      }
      model.finish();
      const std::string text =
          "from_tensor_slices([" + lengths +
          "]) | enumerate(start: 1) | map((i, n) -> arange(n) + 100 * i) | pack(60, pad: -1, strategy: \"" +
          strategy + "\", bins: " + std::to_string(bins) + ")";
      CHECK(run(text, 64) == model.lines);
    }
  }
}

TEST_CASE("pack: a position names the rows in its bins in a few hundred bytes") {
  ThreadsRuntime runtime;
  auto iterator = open_text(
      *runtime,
      "range(100000) | map(x -> full([x * 7919 % 509 + 1], x)) | pack(2048) | map(e -> e.tokens[0])");
  take_lines(*iterator, 400, 8);
  const std::string saved = require_value(iterator->save());
  CHECK(saved.size() < 1500);
}

TEST_CASE("pack: its types and what is wrong with them") {
  CHECK(spec("empty({a: string[?], b: float32[...]}) | pack(7)") ==
        "{a: string[7], b: float32[7], segment_ids: int32[7], positions: int32[7]}");
  CHECK(cardinality("range(3) | map(x -> [x]) | pack(2)") == -2);
  CHECK(cardinality("counter() | map(x -> [x]) | pack(2)") == -1);
  CHECK(
      contains(build_error("range(3) | map(x -> {a: [x]}) | pack(2, pad: {b: 1})"), "keys of {a: int64[1]}"));
  CHECK(contains(build_error("range(3) | map(x -> {a: [x]}) | pack(2, pad: (1,))"), "one value, or a dict"));
  CHECK(contains(build_error("range(3) | map(x -> [x]) | pack(2, pad: \"x\")"), "a value of int64"));
  CHECK(contains(build_error("range(3) | map(x -> [x]) | pack(2, long: \"cut\")"), "\"split\" or \"drop\""));
  CHECK(contains(build_error("range(3) | map(x -> [x]) | pack(3000000000)"), "from 1 to 2147483647"));
  CHECK(contains(
      first_error("range(1, 2) | map(x -> {a: arange(x), b: arange(x), c: arange(3 * x)}) | pack(8)"),
      "vectors of one length, [1], found [3] in c"));
  CHECK(contains(build_error("range(3) | map(x -> {}) | pack(3)"), "a vector, or a dict of vectors"));
  CHECK(contains(build_error("range(3) | map(x -> {segment_ids: [x]}) | pack(3)"), "has a key segment_ids"));
  CHECK(run("empty(int64[...]) | pack(3)").empty());
}

TEST_CASE("pack: padding of each key, and of dtypes without numbers") {
  CHECK(
      run("range(1) | map(x -> {a: [x], b: [\"s\"], c: [true], d: [0.5]}) | pack(2, pad: {a: -1, d: 2})") ==
      Lines{
          "{a: [0, -1], b: [\"s\", \"\"], c: [true, false], d: [0.5, 2.0], segment_ids: [1, 0], positions: [0, 0]}"});
  CHECK(run("range(1) | map(x -> [[x]][0]) | pack(2, pad: 0)") == run("range(1) | map(x -> [x]) | pack(2)"));
}

TEST_CASE("pack: each part of a partition packs on its own") {
  const std::string packed = "map(n -> full([n % 5], n)) | pack(6, bins: 2) | map(e -> e.tokens)";
  Lines parts[2] = {run("range(20) | take(10) | " + packed), run("range(20) | skip(10) | " + packed)};
  Lines expected;
  for (size_t i = 0; i < std::max(parts[0].size(), parts[1].size()); ++i) {
    for (const Lines& part : parts) {
      if (i < part.size()) expected.push_back(part[i]);
    }
  }
  const std::string text = "range(20) | partition(2, p -> p | " + packed + ")";
  CHECK(run(text) == expected);
  for (size_t at = 0; at <= expected.size(); ++at)
    CHECK(run_restored(text, static_cast<int64_t>(at)) ==
          Lines(expected.begin() + static_cast<ptrdiff_t>(at), expected.end()));
}

}  // namespace
}  // namespace weir::test
