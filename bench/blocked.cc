// Destroying an iterator while the files that it reads do not answer.
#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "fs/file_system.h"
#include "fs/wrapped_files.h"
#include "support.h"

namespace weir::bench {
namespace {

using Clock = std::chrono::steady_clock;

// From a number of reads on, every read blocks until all are let go.
class StuckFiles final : public WrappedFiles {
 public:
  StuckFiles() : WrappedFiles(local_file_system()) {}

  Result<RefPtr<RandomAccessFile>> do_open(const std::string& name) override {
    auto file = WrappedFiles::do_open(name);
    if (!file.ok()) return file.status();
    return RefPtr<RandomAccessFile>(make_ref<File>(*this, *std::move(file)));
  }

  void block_after(int reads) {
    stuck_ = true;
    reads_left_ = reads;
  }
  void let_go() {
    stuck_ = false;
    stuck_.notify_all();
  }
  int blocked() const { return blocked_.load(); }

 private:
  class File final : public RandomAccessFile {
   public:
    File(StuckFiles& all, RefPtr<RandomAccessFile> file)
        : RandomAccessFile(file->name()), all_(all), file_(std::move(file)) {}
    Result<size_t> do_read_at(uint64_t offset, std::span<uint8_t> out) override {
      if (all_.reads_left_.fetch_sub(1) <= 0) {
        ++all_.blocked_;
        all_.stuck_.wait(true);
      }
      return file_->do_read_at(offset, out);
    }
    Result<uint64_t> do_size() override { return file_->do_size(); }

   private:
    StuckFiles& all_;
    const RefPtr<RandomAccessFile> file_;
  };

  std::atomic<bool> stuck_{false};
  std::atomic<int> reads_left_{0};
  std::atomic<int> blocked_{0};
};

// Milliseconds that closing takes at a random moment, while another thread waits for a row.
double close_at_random(const DocumentRef& document, Runtime& runtime, std::mt19937_64& random) {
  Iterator iterator(runtime, nullptr, document->spec(), document);
  const std::vector<ParamValue> params;
  if (!iterator.initialize(nullptr, {.params = params}).ok()) std::abort();
  std::thread taker([&] {
    Block block;
    for (;;) {
      auto got = iterator.next(1, block);
      if (!got.ok() || *got != PullResult::rows) break;
    }
  });
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::uniform_int_distribution<int64_t>(0, 20'000)(random)));
  const Clock::time_point begin = Clock::now();
  iterator.close();
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  static_cast<StuckFiles&>(*runtime.files).let_go();
  taker.join();
  return ms;
}

// The worst of all rounds.
void destroy_blocked(benchmark::State& state) {
  // Threads that were left in a read use it until they end.
  static StuckFiles files;
  static Runtime stuck = [] {
    Runtime copy = runtime();
    copy.files = &files;
    return copy;
  }();
  const DocumentRef document = parse(
      "tfrecord(\"" + record_file(1000) +
      "\") | repeat() | map(x -> x, num_parallel_calls: 4) | shuffle(100, seed: 1) | batch(32) | prefetch(auto)");
  std::mt19937_64 random(3);
  double worst = 0;
  const int before = files.blocked();
  for (auto _ : state) {
    files.block_after(std::uniform_int_distribution<int>(0, 20)(random));
    worst = std::max(worst, close_at_random(document, stuck, random));
  }
  state.counters["ms"] = worst;
  state.counters["ms_at_most"] = 10;
  state.counters["of_target"] = worst / 10;
  state.counters["blocked"] = files.blocked() - before;
}
BENCHMARK(destroy_blocked)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(100);

}  // namespace
}  // namespace weir::bench
