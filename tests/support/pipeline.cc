#include "support/pipeline.h"

#include <chrono>
#include <stdexcept>

#include "device/ring.h"
#include "exec/threads.h"
#include "fs/file_system.h"
#include "graph/format_element.h"
#include "support/test_generators.h"

namespace weir {

namespace {

class SteadyClock final : public Clock {
 public:
  int64_t now_ns() override {
    auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  }
};

class CountingRandom final : public RandomSource {
 public:
  uint64_t draw() override { return ++state_ * 0x9e3779b97f4a7c15u; }

 private:
  uint64_t state_ = 0;
};

}  // namespace

struct ThreadsRuntime::Parts {
  explicit Parts(int threads)
      : pool(size_t{64} << 20), executor(make_threads({.compute_threads = threads})) {}
  SteadyClock clock;
  CountingRandom random;
  BufferPool pool;
  // Last, so that its threads end first.
  std::unique_ptr<Executor> executor;
};

ThreadsRuntime::ThreadsRuntime(int threads) : parts_(std::make_unique<Parts>(threads)) {
  runtime_.executor = parts_->executor.get();
  runtime_.clock = &parts_->clock;
  runtime_.files = &local_file_system();
  runtime_.random = &parts_->random;
  runtime_.pool = &parts_->pool;
  runtime_.world = {0, 1, {}};
}

ThreadsRuntime::~ThreadsRuntime() = default;

void require_ok(const Status& status) {
  if (!status.ok())
    throw std::runtime_error(std::string(code_name(status.code())) + ": " + status.error().describe());
}

DocumentRef parse_text(Runtime& runtime, std::string_view text) {
  return require_value(parse_document(runtime, text, test_generators()));
}

OpenIterator open_text(Runtime& runtime, std::string_view text, const std::string* checkpoint,
                       const std::vector<ParamValue>& params) {
  DocumentRef document = parse_text(runtime, text);
  OpenIterator iterator(new Iterator(runtime, nullptr, document->spec()));
  require_ok(iterator->initialize(document, {.params = params, .checkpoint = checkpoint}));
  return iterator;
}

Components on_host_row(Components row) {
  for (Tensor& tensor : row) tensor = require_value(on_host(tensor));
  return row;
}

std::vector<std::string> take_lines(Iterator& iterator, int64_t count, int rows, NestedPrinter* nested) {
  const auto line_of = [](const Error& error) { return "error: " + std::string(code_name(error.code)); };
  std::vector<std::string> out;
  Block block;
  while (static_cast<int64_t>(out.size()) < count) {
    int limit = static_cast<int>(std::min<int64_t>(rows, count - static_cast<int64_t>(out.size())));
    PullResult got = require_value(iterator.next(limit, block));
    if (got != PullResult::rows) {
      out.push_back(got == PullResult::end ? "end" : "cancelled");
      return out;
    }
    if (block.rows > limit) throw std::logic_error("more rows than were asked for");
    for (int i = 0; i < block.rows; ++i) {
      if (const ErrorPtr* error = block.error_of(i)) {
        out.push_back(line_of(**error));
      } else {
        Result<std::string> line = format_element(iterator.spec(), on_host_row(block.row(i)), nested);
        out.push_back(line.ok() ? *std::move(line) : line_of(line.status().error()));
      }
    }
  }
  return out;
}

std::vector<std::string> all_lines(Iterator& iterator, int rows) {
  std::vector<std::string> out = take_lines(iterator, 1'000'000, rows);
  if (!out.empty() && out.back() == "end") out.pop_back();
  return out;
}

std::vector<std::string> all_lines(Runtime& runtime, std::string_view text, int rows) {
  auto iterator = open_text(runtime, text);
  return all_lines(*iterator, rows);
}

}  // namespace weir
