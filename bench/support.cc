#include "support.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "exec/scheduler.h"
#include "exec/threads.h"
#include "fs/file_system.h"

namespace weir::bench {

namespace {

class SteadyClock final : public Clock {
 public:
  int64_t now_ns() override { return std::chrono::steady_clock::now().time_since_epoch().count(); }
};

class FixedRandom final : public RandomSource {
 public:
  uint64_t draw() override { return ++state_; }

 private:
  uint64_t state_ = 0;
};

[[noreturn]] void give_up(const std::string& message) {
  std::fprintf(stderr, "weir_bench: %s\n", message.c_str());
  std::exit(1);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Runtime& runtime() {
  static SteadyClock clock;
  static FixedRandom random;
  static BufferPool pool(size_t{256} << 20);
  static std::unique_ptr<Executor> executor = make_threads();
  static Runtime runtime = [] {
    Runtime out;
    out.executor = executor.get();
    out.clock = &clock;
    out.files = &local_file_system();
    out.random = &random;
    out.pool = &pool;
    out.world = {0, 1, {}};
    return out;
  }();
  return runtime;
}

DocumentRef parse(const std::string& text, const Handed& handed) {
  auto document = parse_document(runtime(), text, handed);
  if (!document.ok()) give_up(document.status().error().message);
  return *std::move(document);
}

Drain::Drain(DocumentRef document) : document_(std::move(document)), session_(make_session(runtime())) {
  Context ctx{*session_, session_->scheduler, &epochs_};
  stage_ = Stage::open(ctx, {document_->root(), nullptr, 0});
}

int Drain::next(int rows) {
  Context ctx{*session_, session_->scheduler, &epochs_};
  rows_ = rows;
  Demand demand;
  demand.rows = rows;
  got_ = stage_->next(ctx, demand, block_);
  if (got_ == PullResult::pending) {
    auto answer = session_->scheduler->drive([&] { return got_ = stage_->next(ctx, demand, block_); });
    if (!answer.ok()) give_up(answer.status().error().message);
  }
  if (got_ == PullResult::rows && !block_.errors.empty()) give_up(block_.errors[0].error->describe());
  return got_ == PullResult::rows ? block_.rows : 0;
}

int64_t Drain::run(int rows, int64_t limit) {
  int64_t total = 0;
  while (total < limit) {
    int got = next(rows);
    if (got == 0) break;
    total += got;
  }
  return total;
}

double memcpy_rate(size_t row_bytes) {
  // Sources larger than the caches, in an order that the prefetcher cannot guess, into a buffer that stays.
  const size_t rows = (size_t{256} << 20) / row_bytes;
  static std::vector<char> source(size_t{256} << 20, 1);
  std::vector<char> target(128 * row_bytes);
  uint64_t state = 1;
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (size_t i = 0; i < rows; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(target.data() + (i % 128) * row_bytes, source.data() + ((state >> 33) % rows) * row_bytes,
                  row_bytes);
      benchmark::ClobberMemory();
    }
    best = std::max(best, static_cast<double>(rows * row_bytes) / seconds_since(begin));
  }
  return best;
}

const std::string& folder() {
  static const struct Folder {
    Folder() {
      std::string name = (std::filesystem::temp_directory_path() / "weir-bench-XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) give_up("cannot make a folder for files");
      path = name;
    }
    ~Folder() {
      std::filesystem::remove_all(path);
      std::filesystem::remove_all(path + ".written");
    }
    std::string path;
  } made;
  return made.path;
}

}  // namespace weir::bench
