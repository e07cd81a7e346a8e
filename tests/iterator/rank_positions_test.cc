#include "iterator/rank_positions.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <random>

#include "core/text.h"
#include "iterator/iterator.h"
#include "support/pipeline.h"
#include "support/simulated_files.h"
#include "support/temporary_folder.h"

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

// An iterator over a document of its own, as in a process of its own, at what all ranks saved if that is not
// empty.
OpenIterator open_rank(Runtime& runtime, const DocumentRef& document, const World& world,
                       const Lines& saved = {}) {
  const std::vector<std::string_view> ranks(saved.begin(), saved.end());
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = {}, .rank_checkpoints = ranks, .world = &world}));
  return iterator;
}

// What ranks saved, each after as many elements as `taken` says.
Lines saved_by(Runtime& runtime, const DocumentRef& document, const std::vector<int64_t>& taken) {
  Lines saved;
  const auto size = static_cast<int64_t>(taken.size());
  for (int64_t rank = 0; rank < size; ++rank) {
    const OpenIterator iterator = open_rank(runtime, document, {rank, size, {}});
    take_lines(*iterator, taken[static_cast<size_t>(rank)]);
    saved.push_back(require_value(iterator->save()));
  }
  return saved;
}

// The error with which a rank refuses what others saved.
Status refusal(Runtime& runtime, const DocumentRef& document, const Lines& saved, const World& world) {
  const std::vector<std::string_view> ranks(saved.begin(), saved.end());
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  const Status status =
      iterator->initialize(document, {.params = {}, .rank_checkpoints = ranks, .world = &world});
  REQUIRE(!status.ok());
  return status;
}

void check_refused(const Status& status, const std::string& part) {
  INFO(status.error().describe());
  CHECK(status.code() == Code::failed_precondition);
  CHECK(status.error().describe().find(part) != std::string::npos);
}

const char* const kPipelines[] = {
    "range(100) | shard(auto, auto)",
    "range(90) | shuffle(16, seed: 3) | shard(auto, auto) | map(x -> x * 3) | batch(4)",
    "range(40) | shuffle(16, seed: 3) | repeat(3) | shard(auto, auto) | map(x -> x + 1, num_parallel_calls: 3) | batch(3) | prefetch(2)",
    "range(200) | prefetch(7) | shard(auto, auto) | filter(x -> x % 3 != 0) | prefetch(4) | batch(2) | map(x -> x + 1, num_parallel_calls: 2) | prefetch(2)",
    "range(200) | shard(auto, auto) | shuffle(9, seed: 2) | batch(2)",
    "zip(range(50), range(50, 100)) | shuffle(9, seed: 2) | shard(auto, auto) | prefetch(3) | batch(3)",
    "range(8) | interleave(x -> range(x * 9, x * 9 + 9), cycle_length: 3) | shard(auto, auto) | skip(0) | ignore_errors()",
    "range(30) | concatenate(range(30, 77)) | shard(auto, auto) | flat_map(x -> range(x, x + 1)) | batch(2)",
    "let d = range(60) | shuffle(7, seed: 1) zip(d, d) | repeat(2) | shard(auto, auto) | prefetch(2)",
};

TEST_CASE("rank positions: shares of ranks that stop anywhere and go on are the whole") {
  ThreadsRuntime runtime;
  std::mt19937 draw(3);
  for (const char* text : kPipelines) {
    const DocumentRef document = parse_text(*runtime, text);
    const Lines expected = words_of(take_lines(*open_rank(*runtime, document, {0, 1, {}}), 10'000));
    REQUIRE(!expected.empty());
    for (const int64_t size : {1, 2, 3, 8}) {
      INFO(text << ", " << size << " ranks");
      Lines saved;
      Lines all;
      const auto go_on = [&](int64_t most) {
        Lines now;
        for (int64_t rank = 0; rank < size; ++rank) {
          const OpenIterator iterator = open_rank(*runtime, document, {rank, size, {}}, saved);
          const Lines lines = take_lines(*iterator, most == 0 ? 10'000 : static_cast<int64_t>(draw() % 12));
          all.insert(all.end(), lines.begin(), lines.end());
          now.push_back(require_value(iterator->save()));
        }
        // Their order does not matter.
        std::reverse(now.begin(), now.end());
        saved = now;
      };
      go_on(12);
      go_on(12);
      go_on(0);
      CHECK(words_of(all) == expected);
    }
  }
}

// What each of some ranks gives in the epoch, from what others saved or else from its beginning, and what in
// the one after it.
struct Epochs {
  std::vector<Lines> now;
  std::vector<Lines> next;
};
Epochs epochs_of(Runtime& runtime, const DocumentRef& document, int64_t size, const Lines& saved,
                 uint64_t epoch) {
  const std::vector<std::string_view> positions(saved.begin(), saved.end());
  Epochs out;
  for (int64_t rank = 0; rank < size; ++rank) {
    const World world{rank, size, {}};
    OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
    require_ok(iterator->initialize(
        document, {.params = {}, .rank_checkpoints = positions, .epoch = epoch, .world = &world}));
    out.now.push_back(all_lines(*iterator));
    require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    out.next.push_back(all_lines(*iterator));
  }
  return out;
}

// Whether ranks that had given nothing, or some elements, go on in the same epoch, and then in the next.
void check_epochs(Runtime& runtime, const DocumentRef& document, uint64_t epoch, int64_t before,
                  int64_t after) {
  const Epochs expected = epochs_of(runtime, document, after, {}, epoch);
  CHECK(expected.now != expected.next);
  for (const int64_t taken : {0, 3}) {
    Lines saved;
    for (int64_t rank = 0; rank < before; ++rank) {
      const World world{rank, before, {}};
      OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
      require_ok(iterator->initialize(document, {.params = {}, .epoch = epoch, .world = &world}));
      take_lines(*iterator, taken);
      saved.push_back(require_value(iterator->save()));
    }
    INFO("after " << taken);
    const Epochs found = epochs_of(runtime, document, after, saved, 0);
    CHECK(found.next == expected.next);
    if (taken > 0) continue;
    CHECK(found.now == expected.now);
    // The new ranks save at once, too.
    Lines again;
    for (int64_t rank = 0; rank < after; ++rank)
      again.push_back(require_value(open_rank(runtime, document, {rank, after, {}}, saved)->save()));
    const Epochs restored = epochs_of(runtime, document, before, again, 0);
    const Epochs first = epochs_of(runtime, document, before, {}, epoch);
    CHECK(restored.now == first.now);
    CHECK(restored.next == first.next);
  }
}

TEST_CASE("rank positions: those of an epoch go on in its order, and then in that of the next") {
  SimulatedFileSystem disk;
  std::string names;
  for (int file = 0; file < 8; ++file) {
    disk.put(concat("f", file), concat(file, "0\n", file, "1\n", file, "2\n"));
    names += concat(file == 0 ? "" : ", ", "\"f", file, "\"");
  }
  ThreadsRuntime runtime;
  runtime->files = &disk;
  const std::string shuffled = concat("text_line(from_list([", names, "]) | shuffle(8, seed: 1))");
  for (const std::string& source :
       {shuffled, shuffled + " | map(x -> x)", std::string("range(30) | global_shuffle(seed: 7)")}) {
    for (const char* behind : {"", " | prefetch(1)", " | filter(x -> true)", " | map(x -> x)",
                               " | map(x -> x, num_parallel_calls: 2) | prefetch(3)"}) {
      const DocumentRef document = parse_text(*runtime, source + " | partition(4, p -> p)" + behind);
      for (const uint64_t epoch : {0, 1, 3}) {
        for (const auto& [before, after] : {std::pair<int64_t, int64_t>{2, 1}, {1, 4}}) {
          INFO(source << behind << ", epoch " << epoch << ", " << before << " to " << after);
          check_epochs(*runtime, document, epoch, before, after);
        }
      }
    }
  }
}

TEST_CASE("rank positions: another number of ranks is refused without a partition") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(50) | shard(auto, auto) | batch(2)");
  const Lines saved = saved_by(*runtime, document, {5, 6});
  for (const World& world : {World{0, 1, {}}, World{0, 3, {}}})
    check_refused(refusal(*runtime, document, saved, world), "write partition(n, part -> part | …)");
  // One of these ranks is not there.
  check_refused(refusal(*runtime, document, {saved[1]}, {0, 2, {}}), "partition");
  const DocumentRef whole = parse_text(*runtime, "range(50) | shard(2, 0)");
  check_refused(refusal(*runtime, whole, saved_by(*runtime, whole, {5, 5}), {0, 2, {}}),
                "divided among ranks");
}

TEST_CASE("rank positions: those of different runs are refused") {
  ThreadsRuntime runtime;
  const char* text = "range(50) | shuffle(9) | shard(auto, auto)";
  const DocumentRef document = parse_text(*runtime, text);
  Lines saved = saved_by(*runtime, document, {5, 6});
  // Each draws seeds of its own when it is built.
  saved[1] = saved_by(*runtime, parse_text(*runtime, text), {5, 6})[1];
  check_refused(refusal(*runtime, document, saved, {0, 3, {}}), "ranks that share their seeds");
  // Of the same rank twice.
  saved[1] = saved[0];
  check_refused(refusal(*runtime, document, saved, {0, 3, {}}), "two of rank 0 of 2");
  check_refused(refusal(*runtime, document, saved, {0, 2, {}}), "two of rank 0 of 2");
  saved[1] =
      saved_by(*runtime, parse_text(*runtime, "range(49) | shuffle(9) | shard(auto, auto)"), {5, 6})[1];
  check_refused(refusal(*runtime, document, saved, {0, 3, {}}), "ranks of one pipeline");
  // The rank's own must be of its document, too.
  check_refused(refusal(*runtime, document, saved, {1, 2, {}}), "a checkpoint of this dataset");
}

// For another number of ranks and for as many, after some elements and before the first.
TEST_CASE("rank positions: those of another number of parts name what differs") {
  ThreadsRuntime runtime;
  const DocumentRef six = parse_text(*runtime, "range(24) | partition(6, p -> p)");
  const DocumentRef twelve = parse_text(*runtime, "range(24) | partition(12, p -> p)");
  for (const int64_t taken : {0, 3}) {
    const Lines saved = saved_by(*runtime, six, {taken, taken + 1});
    for (const World& world : {World{0, 1, {}}, World{1, 2, {}}, World{2, 4, {}}})
      check_refused(refusal(*runtime, twelve, saved, world), "partition: parameter n differs");
  }
}

TEST_CASE("rank positions: those of ranks in different epochs are refused") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(9) | shard(auto, auto)");
  Lines saved;
  for (int64_t rank = 0; rank < 2; ++rank) {
    const World world{rank, 2, {}};
    const OpenIterator iterator = open_rank(*runtime, document, world);
    if (rank == 1) require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    saved.push_back(require_value(iterator->save()));
  }
  check_refused(refusal(*runtime, document, saved, {0, 1, {}}), "rank 1 of 2 in epoch 1");
}

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

TEST_CASE("rank positions: states of callbacks belong to one number of ranks") {
  ThreadsRuntime runtime;
  const RefPtr<const Remembering> callback = make_ref<const Remembering>();
  Handed handed;
  handed.emplace("f", CallbackRef(callback));
  const auto document =
      require_value(parse_document(*runtime, "range(9) | partition(6, p -> p) | map(@f)", handed));
  const Lines saved = saved_by(*runtime, document, {1, 1});
  check_refused(refusal(*runtime, document, saved, {0, 3, {}}), "map calls a callback");
  CHECK(callback->restored == 0);
  CHECK(take_lines(*open_rank(*runtime, document, {1, 2, {}}, saved), 1) == Lines{"4"});
  CHECK(callback->restored == 1);
}

// Also before there are such elements, where taking another one would not help.
TEST_CASE("rank positions: those by value belong to one number of ranks, and say so") {
  ThreadsRuntime runtime;
  for (const char* text :
       {"range(24) | partition(4, p -> p | map(x -> x * 2, num_parallel_calls: 3, deterministic: false) | "
        "batch(2))",
        "range(24) | partition(4, p -> p | map(x -> x * 2, num_parallel_calls: 3, deterministic: false))",
        "range(24) | partition(4, p -> p) | map(x -> x * 2, num_parallel_calls: 3, deterministic: false)"}) {
    const DocumentRef document = parse_text(*runtime, text);
    const Lines all = take_lines(*open_rank(*runtime, document, {0, 1, {}}), 1000);
    for (const int64_t taken : {0, 1, 3}) {
      INFO(text << ", after " << taken);
      Lines saved;
      Lines delivered;
      for (int64_t rank = 0; rank < 2; ++rank) {
        const World world{rank, 2, {}};
        OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
        require_ok(iterator->initialize(
            document, {.params = {}, .world = &world, .policy = CheckpointPolicy::by_value}));
        const Lines lines = take_lines(*iterator, taken);
        delivered.insert(delivered.end(), lines.begin(), lines.end());
        saved.push_back(require_value(iterator->save()));
      }
      const Status refused = refusal(*runtime, document, saved, {0, 1, {}});
      check_refused(refused, "with elements or states of callbacks by value");
      CHECK(refused.error().describe().find("next element") == std::string::npos);
      for (int64_t rank = 0; rank < 2; ++rank) {
        const Lines rest = take_lines(*open_rank(*runtime, document, {rank, 2, {}}, saved), 1000);
        delivered.insert(delivered.end(), rest.begin(), rest.end());
      }
      CHECK(words_of(delivered) == words_of(all));
    }
  }
}

// Each rank builds the text by itself; earlier builds drew seeds for what has no order of its own.
TEST_CASE("rank positions: what doesn't shuffle needs no seed") {
  TemporaryFolder folder;
  for (int file = 0; file < 5; ++file)
    std::ofstream(folder.at(concat("f", file))) << file << "0\n" << file << "1\n" << file << "2\n";
  ThreadsRuntime runtime;
  const std::string listed = concat("list_files(\"", folder.path(), "/f?\", shuffle: false)");
  for (const std::string& text :
       {concat("text_line(", listed, ") | partition(4, p -> p)"),
        std::string("range(23) | partition(4, p -> p | shuffle(1))"),
        std::string("range(5) | partition(4, p -> p | shuffle_and_repeat(1, 3))")}) {
    const auto parsed = [&] { return parse_text(*runtime, text); };
    const Lines all = take_lines(*open_rank(*runtime, parsed(), {0, 1, {}}), 1000);
    CHECK(take_lines(*open_rank(*runtime, parsed(), {0, 1, {}}), 1000) == all);
    for (const bool drew : {false, true}) {
      INFO(text << (drew ? ", drawn" : ""));
      Lines saved;
      Lines delivered;
      for (int64_t rank = 0; rank < 2; ++rank) {
        const OpenIterator iterator = open_rank(*runtime, parsed(), {rank, 2, {}});
        const Lines lines = take_lines(*iterator, 2 + rank);
        delivered.insert(delivered.end(), lines.begin(), lines.end());
        Checkpoint position = require_value(Checkpoint::from_bytes(require_value(iterator->save())));
        CHECK(position.seeds == std::vector<uint64_t>{0, 0});
        if (drew) position.seeds = {17 + static_cast<uint64_t>(rank), 4};
        saved.push_back(position.to_bytes());
      }
      const Lines rest = take_lines(*open_rank(*runtime, parsed(), {0, 1, {}}, saved), 1000);
      delivered.insert(delivered.end(), rest.begin(), rest.end());
      CHECK(words_of(delivered) == words_of(all));
    }
  }
}

TEST_CASE("rank positions: elements that were pulled and not delivered are of their rank") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(50) | shard(auto, auto)");
  const OpenIterator iterator = open_rank(*runtime, document, {0, 2, {}});
  Block block;
  REQUIRE(require_value(iterator->next(3, block)) == PullResult::rows);
  require_ok(iterator->give_back(block, 1));
  Lines saved = saved_by(*runtime, document, {0, 0});
  saved[0] = require_value(iterator->save());
  check_refused(refusal(*runtime, document, saved, {0, 3, {}}), "a pipeline without one");
  CHECK(take_lines(*open_rank(*runtime, document, {0, 2, {}}, saved), 2) == Lines{"2", "4"});
}

TEST_CASE("rank positions: a damaged one is an error") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(9) | shard(auto, auto)");
  Checkpoint checkpoint = require_value(Checkpoint::from_bytes(saved_by(*runtime, document, {0})[0]));
  for (const auto& [rank, size] : {std::pair{INT64_MAX, int64_t{1}}, {int64_t{1}, int64_t{1}}}) {
    checkpoint.rank = rank;
    checkpoint.world_size = size;
    CHECK(refusal(*runtime, document, {checkpoint.to_bytes()}, {0, 1, {}}).code() == Code::data_loss);
  }
}

TEST_CASE("rank positions: an iterator keeps its rank when it begins anew") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(9) | shard(auto, auto)");
  const OpenIterator iterator = open_rank(*runtime, document, {1, 3, {}});
  CHECK(take_lines(*iterator, 9) == Lines{"1", "4", "7", "end"});
  require_ok(iterator->initialize(nullptr, {.params = {}}));
  CHECK(take_lines(*iterator, 9) == Lines{"1", "4", "7", "end"});
  const Lines saved = saved_by(*runtime, document, {0, 2, 0});
  const std::vector<std::string_view> ranks(saved.begin(), saved.end());
  require_ok(iterator->initialize(nullptr, {.params = {}, .rank_checkpoints = ranks}));
  CHECK(take_lines(*iterator, 9) == Lines{"7", "end"});
}

TEST_CASE("rank positions: a checkpoint of another rank or number of ranks is refused by itself") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(50) | shard(auto, auto)");
  const Lines saved = saved_by(*runtime, document, {0, 4, 0});
  const auto begin = [&](const World& world) {
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    const Status status =
        iterator->initialize(document, {.params = {}, .checkpoint = &saved[1], .world = &world});
    return std::pair(std::move(iterator), status);
  };
  auto [same, fits] = begin({1, 3, {}});
  REQUIRE(fits.ok());
  CHECK(take_lines(*same, 1) == Lines{"13"});
  check_refused(begin({2, 3, {}}).second,
                "expected the checkpoint of rank 2 of 3, found that of rank 1 of 3");
  check_refused(begin({1, 2, {}}).second, "give the checkpoints of all ranks");
}

TEST_CASE("rank positions: without a rank, from options or environment, the shard says what to set") {
  ThreadsRuntime runtime;
  runtime->world = World();
  auto iterator = open_text(*runtime, "range(5) | shard(auto, auto)");
  Block block;
  REQUIRE(require_value(iterator->next(1, block)) == PullResult::rows);
  REQUIRE(block.errors.size() == 1);
  const std::string found = block.errors[0].error->describe();
  INFO(found);
  CHECK(found.find("world_size") != std::string::npos);
  CHECK(found.find("no environment") != std::string::npos);
}

}  // namespace
}  // namespace weir
