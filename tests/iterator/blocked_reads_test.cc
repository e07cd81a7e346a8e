// Closing an iterator does not wait for a read that is blocked; the thread in it ends once the read returns.
// Calls that do not wait read no remote file themselves.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <semaphore>

#include "format/tfrecord.h"
#include "fs/remote_files.h"
#include "fs/routed_files.h"
#include "fs/wrapped_files.h"
#include "support/counting_store.h"
#include "support/pipeline.h"
#include "support/simulated_files.h"

namespace weir {
namespace {

enum class Blocks : uint8_t { read, open };

// Blocks the first read, or the first opening, until it is let go.
class BlockedFiles final : public WrappedFiles {
 public:
  BlockedFiles(FileSystem& files, Blocks blocks) : WrappedFiles(files), blocks_(blocks) {}

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    auto file = WrappedFiles::do_open(name);
    if (!file.ok()) return file.status();
    if (++openings == 1 && blocks_ == Blocks::open) block();
    return RefPtr<RandomAccessFile>(make_ref<File>(*this, *std::move(file)));
  }

  std::binary_semaphore begun{0};
  std::binary_semaphore let_go{0};
  std::atomic<int> openings{0};
  std::atomic<int> reads{0};
  std::atomic<int> files_open{0};

 private:
  class File final : public RandomAccessFile {
   public:
    File(BlockedFiles& all, RefPtr<RandomAccessFile> file)
        : RandomAccessFile(file->name()), all_(all), file_(std::move(file)) {
      ++all_.files_open;
    }
    ~File() override { --all_.files_open; }
    Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
      if (++all_.reads == 1 && all_.blocks_ == Blocks::read) all_.block();
      return file_->do_read_at(offset, out);
    }
    Result<uint64_t> do_size() override { return file_->do_size(); }

   private:
    BlockedFiles& all_;
    const RefPtr<RandomAccessFile> file_;
  };

  void block() {
    begun.release();
    let_go.acquire();
  }

  const Blocks blocks_;
};

const char* const kTexts[] = {
    "tfrecord(\"a\")",
    "tfrecord(\"a\", compression: \"auto\")",
    "tfrecord(\"z\", compression: \"gzip\")",
    "tfrecord(\"a\") | map(x -> x, num_parallel_calls: 2) | batch(2) | prefetch(2)",
    "from_tensor_slices([\"a\", \"a\"]) | interleave(f -> tfrecord(f), cycle_length: 2)",
};

void write_file(FileSystem& files, const std::string& name, Compression compression) {
  auto writer = require_value(RecordWriter::create(files, name, compression));
  require_ok(writer->write(Str("record")));
  require_ok(writer->close());
}

// Returns from close() while the file system still blocks; destroying the runtime joins the thread that was
// left.
void close_while_blocked(const std::string& text, Blocks blocks) {
  SimulatedFileSystem simulated;
  write_file(simulated, "a", Compression::none);
  write_file(simulated, "z", Compression::gzip);
  BlockedFiles files(simulated, blocks);
  {
    ThreadsRuntime runtime;
    runtime->files = &files;
    auto iterator = open_text(*runtime, text);
    Block block;
    CHECK(require_value(iterator->try_next(1, block)) == PullResult::pending);
    files.begun.acquire();
    iterator->close();
    files.let_go.release();
  }
  CHECK(files.files_open == 0);
}

TEST_CASE("closing an iterator does not wait for a blocked read") {
  for (const char* text : kTexts) {
    INFO(text);
    close_while_blocked(text, Blocks::read);
  }
}

TEST_CASE("closing an iterator does not wait for a file that is being opened") {
  for (const char* text : kTexts) {
    INFO(text);
    close_while_blocked(text, Blocks::open);
  }
}

// Everything takes no time on it.
class StoppedClock final : public Clock {
 public:
  int64_t now_ns() override { return 1; }
  int64_t computing_ns() override { return 1; }
};

TEST_CASE("a call that does not wait leaves remote files to other threads, however quick they were") {
  const auto store = make_ref<test::CountingStore>();
  for (const char digit : {'0', '1', '2'})
    store->files[concat("far://", digit)] = {std::string((3 + digit - '0') << 20, digit), "v1"};
  RoutedFiles routed(local_file_system(), nullptr);
  require_ok(routed.add({"far"}, std::make_shared<RemoteFiles>(store, make_ref<BlockCache>())));
  StoppedClock clock;
  ThreadsRuntime runtime;
  runtime->files = &routed;
  runtime->clock = &clock;
  const auto iterator = open_text(*runtime, R"(fixed_length_record(["far://0", "far://1", "far://2"], 65536))"
                                            " | global_shuffle(seed: 1)");
  store->calls_of_maker = 0;
  std::map<char, int> found;
  Block block;
  for (;;) {
    const PullResult got = require_value(iterator->try_next(1, block));
    if (got == PullResult::end) break;
    if (got == PullResult::rows) ++found[block.columns[0].tensor().as<Str>()->view()[0]];
    if (got == PullResult::pending) std::this_thread::yield();
  }
  CHECK(found == std::map<char, int>{{'0', 48}, {'1', 64}, {'2', 80}});
  CHECK(store->calls_of_maker == 0);
}

}  // namespace
}  // namespace weir
