// Parts over ranks: which elements each gives, and positions that continue as those of another number of
// ranks.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <random>

#include "core/part_positions.h"
#include "core/text.h"
#include "format/record_index.h"
#include "format/tfrecord.h"
#include "fs/wrapped_files.h"
#include "graph/explain.h"
#include "iterator/checkpoint.h"
#include "iterator/iterator.h"
#include "iterator/rank_positions.h"
#include "support/pipeline.h"
#include "support/sanitized.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

using Lines = std::vector<std::string>;

Lines in_order(Lines lines) {
  std::erase(lines, "end");
  std::sort(lines.begin(), lines.end());
  return lines;
}

// What one has and the other has not.
std::string difference(const Lines& found, const Lines& expected) {
  Lines missing;
  Lines more;
  const Lines a = in_order(found);
  const Lines b = in_order(expected);
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(missing));
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(more));
  std::string out;
  for (const std::string& line : missing) out += concat("missing ", line, "; ");
  for (const std::string& line : more) out += concat("too much ", line, "; ");
  return out;
}

Lines lines_of(const std::map<int64_t, std::string>& by_turn) {
  Lines out;
  for (const auto& [turn, line] : by_turn) out.push_back(concat(turn, ": ", line));
  return out;
}

// A run of several ranks over one document. Each has a document of its own, as in processes of their own.
class RankRun {
 public:
  explicit RankRun(std::string text) : text_(std::move(text)) {}

  void begin(int64_t size) { open(size, nullptr); }
  // Saves all ranks, and goes on as another number of them.
  void resize_to(int64_t size) {
    const Lines saved = checkpoints();
    open(size, &saved);
  }
  Lines checkpoints() {
    Lines saved;
    for (const OpenIterator& rank : ranks_) saved.push_back(require_value(rank->save()));
    // The order does not matter.
    std::reverse(saved.begin(), saved.end());
    return saved;
  }
  void take(size_t rank, int64_t count, int rows = 1) {
    const Lines lines = take_lines(*ranks_[rank], count, rows);
    delivered_.insert(delivered_.end(), lines.begin(), lines.end());
  }
  void take_all(int rows = 1) {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) take(rank, 1'000'000, rows);
  }
  Lines of(size_t rank) { return all_lines(*ranks_[rank]); }
  // All elements of all ranks by their turns, read so many at a time.
  std::map<int64_t, std::string> by_turn(int rows) {
    std::map<int64_t, std::string> out;
    bool rise = true;
    for (const OpenIterator& rank : ranks_) {
      int64_t last = Origins::kNoTurn;
      for (Block block; require_value(rank->next(rows, block)) == PullResult::rows;) {
        for (int row = 0; row < block.rows; ++row) {
          const int64_t turn = block.origins.turn_of(row);
          const ErrorPtr* const error = block.error_of(row);
          rise = rise && turn > last;
          last = turn;
          rise = out.emplace(turn, error ? (*error)->message
                                         : require_value(format_element(rank->spec(), block.row(row))))
                     .second &&
                 rise;
        }
      }
    }
    CHECK(rise);
    return out;
  }
  size_t size() const { return ranks_.size(); }
  const Lines& delivered() const { return delivered_; }

 private:
  void open(int64_t size, const Lines* saved) {
    std::vector<OpenIterator> ranks;
    for (int64_t rank = 0; rank < size; ++rank) {
      DocumentRef document = parse_text(*runtime_, text_);
      OpenIterator iterator(new Iterator(*runtime_, nullptr, document->spec()));
      const World world{rank, size, {}};
      std::vector<std::string_view> positions;
      if (saved) positions.assign(saved->begin(), saved->end());
      require_ok(
          iterator->initialize(document, {.params = {}, .rank_checkpoints = positions, .world = &world}));
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
  return run.of(0);
}

constexpr int kGraphs = kSanitized ? 8 : 200;

// Texts with 192 parts, which 1, 2, 3, 4, 8 and 64 divide.
std::string random_text(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<const char*> choices) {
    return std::string(*(choices.begin() + random() % choices.size()));
  };
  const std::string source = concat("range(", random() % 3000, ")");
  std::string text = source;
  text += pick({"", " | map(x -> x * 3)", " | batch(2)", " | global_shuffle(seed: 4)", " | skip(7)"});
  std::string part = "p -> p";
  const bool numbers = text.find("batch") == std::string::npos;
  for (uint32_t i = random() % 4; i > 0; --i) {
    part += pick({" | shuffle(7, seed: 5)", " | prefetch(3)", " | repeat(2)", " | take(11)",
                  " | shuffle(100, seed: 9)"});
    if (numbers)
      part += pick({"", " | filter(x -> x % 5 != 1)", " | map(x -> x + 1, num_parallel_calls: 2)"});
  }
  part += pick({"", " | batch(3)", " | enumerate()"});
  text += concat(" | partition(192, ", part, ")");
  text += pick({"", " | prefetch(5)", " | prefetch(auto)", " | options(threads: 2)"});
  if (numbers && part.find("batch") == std::string::npos && part.find("enumerate") == std::string::npos)
    text += pick(
        {"", " | filter(x -> x % 7 != 2)", " | map(x -> x - 1)", " | map(x -> x, num_parallel_calls: auto)"});
  return text;
}

// Element i of part s has turn i * 192 + s, so round t of all ranks together is round t of one.
TEST_CASE("parts: ranks together give each element once, round by round", "[threads]") {
  std::mt19937 random(1);
  for (int graph = 0; graph < kGraphs; ++graph) {
    const std::string text = random_text(random);
    INFO(text);
    RankRun one(text);
    one.begin(1);
    const auto elements = one.by_turn(1);
    for (const int64_t size : {2, 3, 4, 8, 64}) {
      INFO(size << " ranks");
      RankRun run(text);
      run.begin(size);
      REQUIRE(difference(lines_of(run.by_turn(random() % 2 == 0 ? 1 : 100)), lines_of(elements)) == "");
    }
  }
}

TEST_CASE("parts: positions of any ranks continue as any others, each element once", "[threads]") {
  std::mt19937 random(2);
  for (int graph = 0; graph < kGraphs; ++graph) {
    const std::string text = random_text(random);
    INFO(text);
    const Lines one = whole(text);
    RankRun run(text);
    const int64_t sizes[] = {1, 2, 3, 4, 8, 64, 192};
    run.begin(sizes[random() % std::size(sizes)]);
    std::string history;
    for (int change = 0; change < 4; ++change) {
      history += concat(run.size(), " ranks:");
      for (size_t rank = 0; rank < run.size(); ++rank) {
        const auto count = random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % (2000 / run.size()));
        run.take(rank, count, random() % 2 == 0 ? 1 : 50);
        history += concat(" ", count);
      }
      run.resize_to(sizes[random() % std::size(sizes)]);
    }
    INFO(history << " " << run.size() << " ranks");
    run.take_all();
    REQUIRE(difference(run.delivered(), one) == "");
  }
}

TEST_CASE("parts: the next element is one of the part that has given fewest") {
  RankRun run("range(24) | partition(4, p -> p)");
  run.begin(2);
  run.take(1, 5);
  CHECK(run.delivered() == Lines{"6", "18", "7", "19", "8"});
  run.resize_to(1);
  CHECK(run.of(0) == Lines{"0", "12", "1", "13", "2", "14", "20", "3", "9", "15", "21", "4", "10", "16", "22",
                           "5", "11", "17", "23"});
}

TEST_CASE("parts: a rank that has ended, and one that has not begun") {
  RankRun run("range(20) | partition(4, p -> p | filter(x -> x % 2 == 0)) | prefetch(2)");
  run.begin(4);
  run.take(2, 100);
  run.take(3, 100);
  run.take(0, 1);
  CHECK(in_order(run.delivered()) == Lines{"0", "10", "12", "14", "16", "18"});
  run.resize_to(2);
  run.resize_to(1);
  CHECK(run.of(0) == Lines{"6", "2", "8", "4"});
}

// Where a rank goes on.
Result<Checkpoint> position_of(const Document& document, const Lines& saved, const World& world) {
  const std::vector<std::string_view> views(saved.begin(), saved.end());
  return position_of_rank(document, views, world);
}

// The same rank of as many ranks takes its own position as it is.
TEST_CASE("parts: operators that count continue for as many ranks only") {
  ThreadsRuntime runtime;
  const std::string text = "range(30) | partition(6, p -> p) | enumerate() | take(9)";
  const DocumentRef document = parse_text(*runtime, text);
  Lines saved;
  for (int64_t rank = 0; rank < 2; ++rank) {
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    const World world{rank, 2, {}};
    require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    CHECK(take_lines(*iterator, 2) == (rank == 0 ? Lines{"(0, 0)", "(1, 10)"} : Lines{"(0, 5)", "(1, 15)"}));
    saved.push_back(require_value(iterator->save()));
  }
  const World same{1, 2, {}};
  CHECK(require_value(position_of(*document, saved, same)).rank == 1);
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = {}, .checkpoint = &saved[1], .world = &same}));
  CHECK(take_lines(*iterator, 2) == Lines{"(2, 25)", "(3, 6)"});
  const World other{0, 3, {}};
  const Status refused = position_of(*document, saved, other).status();
  CHECK(refused.code() == Code::failed_precondition);
  CHECK(refused.error().message.find("enumerate counts the elements of its rank") != std::string::npos);
}

TEST_CASE("parts: positions that do not cover all parts once are refused") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(30) | partition(6, p -> p)");
  const auto position = [&](int64_t rank, int64_t size) {
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    const World world{rank, size, {}};
    require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    take_lines(*iterator, 1);
    return require_value(iterator->save());
  };
  const World world{0, 1, {}};
  const auto message = [&](const Lines& saved) {
    const Status status = position_of(*document, saved, world).status();
    CHECK(status.code() == Code::failed_precondition);
    return status.error().message;
  };
  CHECK(message({position(0, 3), position(2, 3)}).find("part 1 in none of them") != std::string::npos);
  CHECK(message({position(0, 2), position(1, 2), position(0, 3)}).find("part 0 in several of them") !=
        std::string::npos);
  CHECK(message({position(0, 3), position(0, 3)}).find("two of rank 0 of 3") != std::string::npos);
  // Of different worlds, but each part once.
  CHECK(position_of(*document, Lines{position(0, 2), position(1, 6), position(3, 6), position(5, 6)}, world)
            .status()
            .ok());
}

TEST_CASE("parts: explain warns of seeds that each rank would draw for itself") {
  ThreadsRuntime runtime;
  const auto warns = [&](const char* text) {
    const DocumentRef document = parse_text(*runtime, text);
    const bool in_json = explain(*document, true).find("draws its own seeds") != std::string::npos;
    CHECK((explain(*document, false).find("warning: ") != std::string::npos) == in_json);
    return in_json;
  };
  CHECK(warns("range(30) | partition(6, p -> p | shuffle(9))"));
  CHECK(!warns("range(30) | partition(6, p -> p | shuffle(9, seed: 1))"));
  CHECK(!warns("range(30) | shuffle(9)"));
  CHECK(!warns("range(30) | partition(6, p -> p | shuffle(1))"));
}

// Nothing is allocated or added up that the bytes alone say.
TEST_CASE("parts: damaged numbers of a position are errors") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(30) | partition(6, p -> p)");
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  const World two{0, 1, {}};
  require_ok(iterator->initialize(document, {.params = {}, .world = &two}));
  take_lines(*iterator, 5);
  Checkpoint saved = require_value(Checkpoint::from_bytes(require_value(iterator->save())));
  const World world{1, 2, {}};
  saved.turn = INT64_MAX;
  CHECK(position_of(*document, {saved.to_bytes()}, world).status().code() == Code::data_loss);
  saved.turn = 5;
  saved.stage.clear();
  for (const auto& [n, given] :
       {std::pair{INT64_MAX, int64_t{1}}, {int64_t{12}, int64_t{1}}, {int64_t{6}, INT64_MAX}}) {
    const auto parts = std::make_shared<PartPositions>();
    parts->n = n;
    parts->source = "source";
    parts->parts = {{0, given, false, {}}};
    saved.inherited = parts;
    CHECK(position_of(*document, {saved.to_bytes()}, world).status().code() == Code::data_loss);
  }
}

TEST_CASE("parts: positions of unseeded orders that were drawn apart are refused") {
  ThreadsRuntime runtime;
  Lines saved;
  DocumentRef document;
  for (int64_t rank = 0; rank < 2; ++rank) {
    document = parse_text(*runtime, "range(30) | partition(6, p -> p | shuffle(9))");
    OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
    const World world{rank, 2, {}};
    require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
    take_lines(*iterator, 3);
    saved.push_back(require_value(iterator->save()));
  }
  const World world{0, 3, {}};
  const Status refused = position_of(*document, saved, world).status();
  CHECK(refused.code() == Code::failed_precondition);
  CHECK(refused.error().message.find("ranks that share their seeds") != std::string::npos);
}

// What a rank has delivered inside a block counts, and what it gave back does not.
TEST_CASE("parts: rows that were pulled and not delivered are delivered by the next owner") {
  ThreadsRuntime runtime;
  const DocumentRef document = parse_text(*runtime, "range(40) | partition(4, p -> p) | map(x -> x * 2)");
  OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
  const World world{1, 2, {}};
  require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
  Block block;
  REQUIRE(require_value(iterator->next(8, block)) == PullResult::rows);
  REQUIRE(block.rows == 8);
  require_ok(iterator->give_back(block, 3));
  const std::string second = require_value(iterator->save());
  OpenIterator other(new Iterator(*runtime, nullptr, document->spec()));
  const World first{0, 2, {}};
  require_ok(other->initialize(document, {.params = {}, .world = &first}));
  const std::string saved = require_value(other->save());
  const World last{3, 4, {}};
  const std::string position = require_value(position_of(*document, Lines{saved, second}, last)).to_bytes();
  OpenIterator part(new Iterator(*runtime, nullptr, document->spec()));
  require_ok(part->initialize(document, {.params = {}, .checkpoint = &position, .world = &last}));
  CHECK(take_lines(*part, 2) == Lines{"62", "64"});
}

// The order before the cut is that of the epoch, for every part and every rank.
TEST_CASE("parts: each epoch has its own order before the cut, which a restored one keeps") {
  const std::string text =
      "range(60) | global_shuffle(seed: 7) | partition(6, p -> p | batch(2)) | repeat(2)";
  const Lines one = whole(text);
  CHECK(Lines(one.begin(), one.begin() + 30) != Lines(one.begin() + 30, one.end()));
  ThreadsRuntime runtime;
  for (int64_t at = 0; at <= 60; at += 7) {
    OpenIterator iterator = open_text(*runtime, text);
    take_lines(*iterator, at);
    const std::string saved = require_value(iterator->save());
    OpenIterator again = open_text(*runtime, text, &saved);
    CHECK(all_lines(*again) == Lines(one.begin() + at, one.end()));
  }
}

TEST_CASE("parts: a checkpoint of many parts is compact") {
  ThreadsRuntime runtime;
  OpenIterator iterator = open_text(*runtime, "range(2000000) | partition(1024, p -> p | shuffle(1000))");
  take_lines(*iterator, 100'000, 100);
  CHECK(require_value(iterator->save()).size() < 24 * 1024);
  // Far enough for each part to have a position of its own.
  take_lines(*iterator, 1'200'000, 1000);
  CHECK(require_value(iterator->save()).size() < 24 * 1024);
}

// A file system that counts the bytes that are read, by whether they are of an index.
class CountingFiles final : public WrappedFiles {
 public:
  explicit CountingFiles(FileSystem& files) : WrappedFiles(files) {}

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    WEIR_ASSIGN(RefPtr<RandomAccessFile> file, WrappedFiles::do_open(name));
    return RefPtr<RandomAccessFile>(
        make_ref<Counted>(std::move(file), name.ends_with(kIndexSuffix) ? indexed : read));
  }

  std::atomic<uint64_t> read{0};
  std::atomic<uint64_t> indexed{0};

 private:
  class Counted final : public RandomAccessFile {
   public:
    Counted(RefPtr<RandomAccessFile> file, std::atomic<uint64_t>& bytes)
        : RandomAccessFile(file->name()), file_(std::move(file)), bytes_(bytes) {}
    Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
      auto got = file_->do_read_at(offset, out);
      if (got.ok()) bytes_ += *got;
      return got;
    }
    Result<uint64_t> do_size() override { return file_->do_size(); }

   private:
    const RefPtr<RandomAccessFile> file_;
    std::atomic<uint64_t>& bytes_;
  };
};

// Opening the file f1 fails once, after it has succeeded so often.
class FailsOnce final : public WrappedFiles {
 public:
  FailsOnce(FileSystem& files, int good) : WrappedFiles(files), good_(good) {}
  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    if (name == "f1" && good_-- == 0)
      return read_error(Code::unavailable, {"this one fails", "try again"}, name);
    return files_.do_open(name);
  }

 private:
  std::atomic<int> good_;
};

std::string numbered_lines(const char* what, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += concat(what, " ", i, "\n");
  return out;
}

// Other ranks may have opened the file, and have cut the rows in other places.
TEST_CASE("parts: where a file fails while the rows are counted, the whole is one error") {
  for (const char* source :
       {"text_line([\"f0\", \"f1\", \"f2\"])", "tokens([\"f0\", \"f1\", \"f2\"], 3, uint8)",
        "fixed_length_record([\"f0\", \"f1\", \"f2\"], 2)"}) {
    int whole_failed = 0;
    for (int good = 0; good < 8; ++good) {
      SimulatedFileSystem disk;
      for (const char* name : {"f0", "f1", "f2"}) disk.put(name, numbered_lines(name, 10));
      FailsOnce files(disk, good);
      ThreadsRuntime runtime;
      runtime->files = &files;
      const std::string parts = concat(source, " | partition(4, p -> p, by: \"index\")");
      const OpenIterator iterator = open_text(*runtime, parts);
      const Lines found = take_lines(*iterator, 1000);
      runtime->files = &disk;
      const Lines expected = take_lines(*open_text(*runtime, parts), 1000);
      INFO(parts << ", after " << good);
      const auto failed = std::count_if(found.begin(), found.end(),
                                        [](const std::string& line) { return line.starts_with("error:"); });
      if (found.size() == 2 && failed == 1) {
        ++whole_failed;
        continue;
      }
      // It failed later, if at all: a part that can't read it is an error, and the others have their rows.
      Lines rows = in_order(found);
      std::erase_if(rows, [](const std::string& line) { return line.starts_with("error:"); });
      const Lines all = in_order(expected);
      CHECK(std::includes(all.begin(), all.end(), rows.begin(), rows.end()));
      CHECK((rows.size() == all.size() || failed > 0));
    }
    CHECK(whole_failed > 0);
    CHECK(whole_failed < 8);
  }
}

TEST_CASE("parts: a file that has changed since its rows were counted gives no rows") {
  SimulatedFileSystem disk;
  disk.put("f0", numbered_lines("old", 4000));
  ThreadsRuntime runtime;
  runtime->files = &disk;
  const OpenIterator iterator =
      open_text(*runtime, "text_line(\"f0\") | partition(400, p -> p, by: \"index\")");
  Lines lines = take_lines(*iterator, 3);
  disk.put("f0", numbered_lines("newer", 5000));
  const Lines rest = take_lines(*iterator, 10000);
  lines.insert(lines.end(), rest.begin(), rest.end());
  int old = 0;
  for (const std::string& line : lines) {
    const bool is_old = line.find("old ") != std::string::npos;
    old += is_old;
    CHECK((is_old || line == "end" || line.find("failed_precondition") != std::string::npos));
  }
  CHECK(old < 4000);
  CHECK(lines.size() > static_cast<size_t>(old) + 1);
}

// Eight ranks over 16 files, by files, and over one, by index.
TEST_CASE("parts: ranks together read each byte once") {
  SimulatedFileSystem disk;
  CountingFiles files(disk);
  ThreadsRuntime runtime;
  runtime->files = &files;
  std::mt19937 random(4);
  std::string names;
  uint64_t bytes = 0;
  for (int file = 0; file < 17; ++file) {
    const std::string name = concat("f", file);
    auto writer = require_value(RecordWriter::create(disk, name, Compression::none));
    for (int i = 0; i < (file == 16 ? 4000 : 500); ++i) {
      const std::string record(200 + random() % 3000, static_cast<char>('a' + i % 26));
      require_ok(writer->write(Str(record.data(), record.size())));
    }
    require_ok(writer->close());
    if (file < 16) {
      names += concat(file == 0 ? "" : ", ", quote(name));
      bytes += require_value(disk.stat(name)).size;
    }
  }
  const auto read_all = [&](const std::string& text) {
    files.read = files.indexed = 0;
    int64_t rows = 0;
    for (int64_t rank = 0; rank < 8; ++rank) {
      const DocumentRef document = parse_text(*runtime, text);
      OpenIterator iterator(new Iterator(*runtime, nullptr, document->spec()));
      const World world{rank, 8, {}};
      require_ok(iterator->initialize(document, {.params = {}, .world = &world}));
      for (Block block;;) {
        if (require_value(iterator->next(64, block)) != PullResult::rows) break;
        rows += block.rows;
      }
    }
    return rows;
  };
  CHECK(read_all(concat("tfrecord([", names, "]) | partition(16, p -> p | shuffle(50, seed: 1))")) == 8000);
  CHECK(files.read >= bytes);
  CHECK(files.read <= bytes + bytes / 100);
  CHECK(files.indexed == 0);
  const uint64_t one = require_value(disk.stat("f16")).size;
  // Makes the index, once.
  CHECK(read_all("tfrecord(\"f16\") | partition(64, p -> p | take(0))") == 0);
  const uint64_t index = require_value(disk.stat("f16.weir-index")).size;
  CHECK(read_all("tfrecord(\"f16\") | partition(64, p -> p | shuffle(50, seed: 1))") == 4000);
  CHECK(files.read >= one);
  CHECK(files.read <= one + one / 100);
  // Parts share pages of the index.
  CHECK(files.indexed <= 3 * index);
}

// A window of 64 KiB over the file, another over the part, and the block that is read, for each; whoever
// opens the file, and whenever.
TEST_CASE("parts: a thousand of them read little ahead") {
  constexpr int kParts = 1024;
  SimulatedFileSystem disk;
  CountingFiles files(disk);
  ThreadsRuntime runtime;
  runtime->files = &files;
  auto writer = require_value(RecordWriter::create(disk, "wide", Compression::none));
  const std::string record(7000, 'x');
  for (int i = 0; i < 150; ++i) require_ok(writer->write(Str(record.data(), record.size())));
  require_ok(writer->close());
  std::string names = "\"wide\"";
  for (int i = 1; i < kParts; ++i) names += ", \"wide\"";
  for (const auto& [part, opened] : std::vector<std::pair<std::string, uint64_t>>{
           {"p", 1},
           {"p | take(1) | repeat(2)", 2},
           {"p | take(1) | flat_map(x -> tfrecord(\"wide\"))", 2}}) {
    INFO(part);
    files.read = 0;
    const OpenIterator iterator =
        open_text(*runtime, concat("tfrecord([", names, "]) | partition(", kParts, ", p -> ", part, ")"));
    for (int64_t rows = 0; rows < 2 * kParts;) {
      Block block;
      REQUIRE(require_value(iterator->next(64, block)) == PullResult::rows);
      rows += block.rows;
    }
    CHECK(files.read <= opened * kParts * 256 * 1024);
  }
}

}  // namespace
}  // namespace weir
