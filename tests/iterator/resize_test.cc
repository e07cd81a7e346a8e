#include "iterator/resize.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "core/text.h"
#include "iterator/checkpoint.h"
#include "iterator/iterator.h"
#include "support/pipeline.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

// The numbers and words of lines, sorted: batches of different ranks differ, what is in them does not.
Lines words_of(const Lines& lines) {
  Lines words;
  for (const std::string& line : lines) {
    if (line == "end") continue;
    size_t begin = 0;
    constexpr std::string_view kBetween = "[](){}, ";
    while ((begin = line.find_first_not_of(kBetween, begin)) != std::string::npos) {
      const size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
      words.push_back(line.substr(begin, end - begin));
      begin = end;
    }
  }
  std::sort(words.begin(), words.end());
  return words;
}

// A run of several ranks over one document. Each has a document of its own, as in processes of their own.
class RankRun {
 public:
  explicit RankRun(std::string text) : text_(std::move(text)) {}

  void begin(int64_t size) { open(size, nullptr); }
  // Saves all ranks, and goes on as another number of them.
  void resize_to(int64_t size) {
    const std::vector<std::string> saved = checkpoints();
    open(size, &saved);
  }
  std::vector<std::string> checkpoints() {
    std::vector<std::string> saved;
    for (const OpenIterator& rank : ranks_) saved.push_back(require_value(rank->save()));
    // The order does not matter.
    std::reverse(saved.begin(), saved.end());
    return saved;
  }
  void take(size_t rank, int64_t count) {
    const Lines lines = take_lines(*ranks_[rank], count);
    delivered_.insert(delivered_.end(), lines.begin(), lines.end());
  }
  void take_all() {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) take(rank, 1'000'000);
  }
  size_t size() const { return ranks_.size(); }
  Lines words() const { return words_of(delivered_); }

 private:
  void open(int64_t size, const std::vector<std::string>* saved) {
    std::vector<OpenIterator> ranks;
    for (int64_t rank = 0; rank < size; ++rank) {
      DocumentRef document = parse_text(*runtime_, text_);
      OpenIterator iterator(new Iterator(*runtime_, nullptr, document->spec()));
      const World world{rank, size, {}};
      std::string position;
      if (saved) position = require_value(resize({*runtime_, nullptr, document, {}, &world}, *saved));
      require_ok(iterator->initialize(
          document, {.params = {}, .checkpoint = saved ? &position : nullptr, .world = &world}));
      ranks.push_back(std::move(iterator));
    }
    ranks_ = std::move(ranks);
  }

  ThreadsRuntime runtime_;
  const std::string text_;
  std::vector<OpenIterator> ranks_;
  Lines delivered_;
};

Lines whole(const std::string& text) {
  RankRun run(text);
  run.begin(1);
  run.take_all();
  return run.words();
}

const char* const kPipelines[] = {
    "range(100) | shard(auto, auto)",
    "range(90) | shuffle(16, seed: 3) | shard(auto, auto) | map(x -> x * 3) | batch(4)",
    "range(40) | shuffle(16, seed: 3) | repeat(3) | shard(auto, auto) | map(x -> x + 1, num_parallel_calls: 3) | batch(3) | prefetch(2)",
    "range(200) | prefetch(7) | shard(auto, auto) | filter(x -> x % 3 != 0) | prefetch(4) | batch(2) | map(x -> x + 1, num_parallel_calls: 2) | prefetch(2)",
    "range(200) | shard(auto, auto) | filter(x -> x % 3 != 0) | batch(2)",
    "range(300) | shard(auto, auto) | filter(x -> x % 2 != 0) | filter(x -> x % 5 != 0) | batch(3) | prefetch(1)",
    "zip(range(50), range(50, 100)) | shuffle(9, seed: 2) | shard(auto, auto) | prefetch(3) | batch(3)",
    "range(8) | interleave(x -> range(x * 9, x * 9 + 9), cycle_length: 3) | shard(auto, auto) | skip(0) | ignore_errors()",
    "range(30) | concatenate(range(30, 77)) | enumerate() | shard(auto, auto) | batch(2)",
    "let d = range(60) | shuffle(7, seed: 1) zip(d, d) | repeat(2) | shard(auto, auto) | prefetch(2)",
};

// A callback with a state, which makes what it is given.
class Remembering final : public Callback {
 public:
  Remembering()
      : Callback(
            {.concurrent = false, .blocking = false, .block = false, .pure = false, .on_caller = false}) {}
  Result<Spec> result(const Spec& input) const override { return input; }
  Status call(Session&, const Block& in, Block& out) const override {
    out.columns[0].set_row(in.columns[0].row(0));
    return {};
  }
  bool has_state() const override { return true; }
  Status restore_state(std::string_view) const override {
    ++restored;
    return {};
  }
  mutable int restored = 0;
};

TEST_CASE("resize: states of callbacks belong to one number of ranks, also where no element is held") {
  ThreadsRuntime runtime;
  const RefPtr<const Remembering> callback = make_ref<const Remembering>();
  Handed handed;
  handed.emplace("f", CallbackRef(callback));
  const auto document =
      require_value(parse_document(*runtime, "range(9) | map(@f) | shard(auto, auto)", handed));
  std::vector<std::string> saved;
  for (int64_t rank = 0; rank < 2; ++rank) {
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    const World world{rank, 2, {}};
    require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    take_lines(*iterator, 1);
    saved.push_back(require_value(iterator->save()));
  }
  const World world{0, 3, {}};
  const Status refused = resize({*runtime, nullptr, document, {}, &world}, saved).status();
  CHECK(refused.code() == Code::failed_precondition);
  CHECK(refused.error().message.find("states of callbacks") != std::string::npos);
  CHECK(callback->restored == 0);
}

TEST_CASE("resize: N ranks go on as M, and each element is delivered once") {
  const int64_t sizes[] = {1, 2, 3, 8};
  std::mt19937 draw(3);
  for (const char* text : kPipelines) {
    const Lines expected = whole(text);
    REQUIRE(!expected.empty());
    for (const int64_t before : sizes) {
      for (const int64_t after : sizes) {
        INFO(text << ", " << before << " ranks, then " << after);
        RankRun run(text);
        run.begin(before);
        for (size_t rank = 0; rank < run.size(); ++rank) run.take(rank, draw() % 12);
        run.resize_to(after);
        run.take_all();
        CHECK(run.words() == expected);
      }
    }
  }
}

TEST_CASE("resize: again and again, before all ranks have passed where the last ones were") {
  std::mt19937 draw(8);
  for (const char* text : kPipelines) {
    INFO(text);
    const Lines expected = whole(text);
    RankRun run(text);
    run.begin(3);
    for (const int64_t size : {2, 8, 1, 3, 3, 5, 1, 2}) {
      for (size_t rank = 0; rank < run.size(); ++rank) run.take(rank, draw() % 4);
      run.resize_to(size);
    }
    run.take_all();
    CHECK(run.words() == expected);
  }
}

TEST_CASE("resize: ranks in step go on in the order of the whole") {
  RankRun run("range(60) | shard(auto, auto) | batch(2)");
  run.begin(3);
  for (size_t rank = 0; rank < 3; ++rank) run.take(rank, 4);
  // 24 elements were taken; two ranks share the rest.
  run.resize_to(2);
  CHECK(run.words().size() == 24);
  RankRun whole_run("range(60) | shard(auto, auto) | batch(2)");
  run.take(0, 1);
  run.take(1, 1);
  const Lines words = run.words();
  for (int i = 0; i < 28; ++i) CHECK(std::count(words.begin(), words.end(), std::to_string(i)) == 1);
}

TEST_CASE("resize: ranks at their end stay there, and some of them may be") {
  const char* text = "range(10) | shard(auto, auto) | prefetch(2)";
  RankRun some(text);
  some.begin(3);
  some.take(1, 1'000);
  some.take(2, 1);
  some.resize_to(2);
  some.take_all();
  CHECK(some.words() == whole(text));
  RankRun all(text);
  all.begin(3);
  all.take_all();
  all.resize_to(2);
  const Lines before = all.words();
  all.take_all();
  CHECK(all.words() == before);
}

// The message with which resizing is refused after each rank took as many elements as `taken` says.
std::string refusal(const std::string& text, const std::vector<int64_t>& taken, size_t given = SIZE_MAX) {
  ThreadsRuntime runtime;
  std::vector<std::string> saved;
  DocumentRef document = parse_text(*runtime, text);
  const auto size = static_cast<int64_t>(taken.size());
  for (int64_t rank = 0; rank < size; ++rank) {
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    const World world{rank, size, {}};
    require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    take_lines(*iterator, taken[static_cast<size_t>(rank)]);
    saved.push_back(require_value(iterator->save()));
  }
  if (given < saved.size()) saved.resize(given);
  const World world{0, 2, {}};
  auto joined = resize({*runtime, nullptr, document, {}, &world}, saved);
  REQUIRE(!joined.ok());
  CHECK(joined.status().code() == Code::failed_precondition);
  return joined.status().error().describe();
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

TEST_CASE("resize: what cannot be joined is refused, and the operator named") {
  has(refusal("range(50) | shard(auto, auto) | shuffle(4, seed: 1)", {5, 6}), "shuffle");
  has(refusal("range(50) | shard(auto, auto) | enumerate()", {5, 6}), "enumerate");
  has(refusal("range(50) | shard(auto, auto) | flat_map(x -> range(3))", {5, 5}), "flat_map");
  has(refusal("range(50) | shard(auto, auto) | repeat(2)", {5, 30}), "repeat");
  has(refusal("range(50) | shard(auto, auto) | take(9)", {9, 5}), "found take at different states");
  has(refusal("range(50) | shard(auto, auto) | take(9)", {10, 5}), "put take before the shard");
  has(refusal("range(9) | shard(auto, auto) | concatenate(range(3))", {6, 1}),
      "found concatenate at different states");
  // The one has gone through it twice, the other is in its first round.
  has(refusal("range(9) | shard(auto, auto) | repeat(2)", {11, 1}), "put repeat before the shard");
  has(refusal("range(8) | shard(auto, auto) | repeat(2)", {4, 6}), "repeat");
  has(refusal("range(50) | shard(2, 0)", {5, 5}), "shard(auto, auto)");
  has(refusal("range(50) | shard(auto, auto)", {5, 6, 7}, 2), "the checkpoints of all 3 ranks");
}

TEST_CASE("resize: ranks in the same round of a repeat above the shard go on, one of them at its end") {
  const char* text = "range(9) | shard(auto, auto) | repeat(2) | prefetch(1)";
  RankRun run(text);
  run.begin(2);
  run.take(0, 2);
  run.take(1, 4);
  run.resize_to(3);
  run.take_all();
  CHECK(run.words() == whole(text));
}

// What is left after two ranks took `count` elements each and went on as `size`.
Lines left_after(const std::string& text, int64_t count, int64_t size) {
  RankRun run(text);
  run.begin(2);
  run.take(0, count);
  run.take(1, count);
  const size_t before = run.words().size();
  run.resize_to(size);
  run.take_all();
  return Lines{concat(run.words().size() - before)};
}

TEST_CASE("resize: where all shards have ended and something follows them") {
  for (const char* end : {"batch(1)", "prefetch(2)"}) {
    const std::string text = concat("range(10) | shard(auto, auto) | concatenate(range(3)) | ", end);
    // Each of the new ranks has two of the three elements that follow.
    CHECK(left_after(text, 6, 1) == Lines{"2"});
    CHECK(left_after(text, 6, 3) == Lines{"6"});
  }
}

TEST_CASE("resize: an endless repeat goes on in ranks without a share of the rest") {
  RankRun run("range(10) | shard(auto, auto) | repeat()");
  run.begin(2);
  run.take(1, 5);
  run.resize_to(8);
  for (size_t rank = 0; rank < 8; ++rank) run.take(rank, 4);
  CHECK(run.words().size() == 5 + 8 * 4);
}

TEST_CASE("resize: an iterator keeps its rank when it begins anew") {
  ThreadsRuntime runtime;
  DocumentRef document = parse_text(*runtime, "range(9) | shard(auto, auto)");
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  const World world{1, 3, {}};
  require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
  CHECK(take_lines(*iterator, 9) == Lines{"1", "4", "7", "end"});
  require_ok(iterator->initialize(nullptr, {.params = {}}));
  CHECK(take_lines(*iterator, 9) == Lines{"1", "4", "7", "end"});
}

TEST_CASE("resize: a damaged rank is an error") {
  ThreadsRuntime runtime;
  DocumentRef document = parse_text(*runtime, "range(9) | shard(auto, auto)");
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  const World world{0, 1, {}};
  require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
  Checkpoint checkpoint = require_value(Checkpoint::from_bytes(require_value(iterator->save())));
  for (const auto& [rank, size] : {std::pair{INT64_MAX, int64_t{1}}, {int64_t{1}, int64_t{1}}}) {
    checkpoint.rank = rank;
    checkpoint.world_size = size;
    const std::vector<std::string> saved = {checkpoint.to_bytes()};
    CHECK(resize({*runtime, nullptr, document, {}, &world}, saved).status().code() == Code::data_loss);
  }
}

TEST_CASE("resize: ranks whose iterators began anew unequally often are refused") {
  ThreadsRuntime runtime;
  DocumentRef document = parse_text(*runtime, "range(9) | shard(auto, auto)");
  std::vector<std::string> saved;
  for (int64_t rank = 0; rank < 2; ++rank) {
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    const World world{rank, 2, {}};
    for (int64_t epoch = 0; epoch <= rank; ++epoch)
      require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    saved.push_back(require_value(iterator->save()));
  }
  const World world{0, 1, {}};
  has(resize({*runtime, nullptr, document, {}, &world}, saved).status().error().describe(), "epoch");
}

TEST_CASE("resize: ranks that drew seeds of their own are refused") {
  ThreadsRuntime runtime;
  const std::string text = "range(50) | shuffle(9) | shard(auto, auto)";
  std::vector<std::string> saved;
  DocumentRef document;
  for (int64_t rank = 0; rank < 2; ++rank) {
    document = parse_text(*runtime, text);
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    const World world{rank, 2, {}};
    require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    saved.push_back(require_value(iterator->save()));
  }
  const World world{0, 3, {}};
  has(resize({*runtime, nullptr, document, {}, &world}, saved).status().error().describe(), "seed");
  // Twice the same rank.
  saved[1] = saved[0];
  has(resize({*runtime, nullptr, document, {}, &world}, saved).status().error().describe(), "two of rank 0");
}

TEST_CASE("resize: a checkpoint of another rank or number of ranks is refused by itself") {
  ThreadsRuntime runtime;
  DocumentRef document = parse_text(*runtime, "range(50) | shard(auto, auto)");
  const auto open = [&](const World& world, const std::string* checkpoint) {
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    const Status status =
        iterator->initialize(document, {.params = {}, .checkpoint = checkpoint, .world = &world});
    return std::pair(std::move(iterator), status);
  };
  auto [first, status] = open({1, 3, {}}, nullptr);
  REQUIRE(status.ok());
  take_lines(*first, 4);
  const std::string saved = require_value(first->save());
  auto [same, fits] = open({1, 3, {}}, &saved);
  REQUIRE(fits.ok());
  CHECK(take_lines(*same, 1) == Lines{"13"});
  has(open({2, 3, {}}, &saved).second.error().describe(),
      "expected the checkpoint of rank 2 of 3, found that of rank 1 of 3");
  has(open({1, 2, {}}, &saved).second.error().describe(), "give the checkpoints of all ranks");
}

TEST_CASE("resize: without a rank, from options or environment, the shard says what to set") {
  ThreadsRuntime runtime;
  auto iterator = open_text(*runtime, "range(5) | shard(auto, auto)");
  Block block;
  REQUIRE(require_value(iterator->next(1, block)) == PullResult::rows);
  REQUIRE(block.errors.size() == 1);
  has(block.errors[0].error->describe(), "world_size");
  has(block.errors[0].error->describe(), "no environment");
}

}  // namespace
}  // namespace weir
