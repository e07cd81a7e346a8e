// Runs every operator's pipelines out of memory: each allocation fails once, and all from one on. What could
// not be made is an error and lost, positions stay, and the sequence ends.
#include <catch2/catch_test_macros.hpp>
#include <regex>

#include "exec/threads.h"
#include "fs/file_system.h"
#include "graph/format_element.h"
#include "ops/contract.h"
#include "ops/pipelines.h"
#include "support/failing_new.h"
#include "support/sanitized.h"

namespace weir::test {
namespace {

// No thread but the calling one, so that its allocations are all there are, in one order.
class NoThreads final : public Executor {
 public:
  bool submit(Lane, RefPtr<Job>) noexcept override { return false; }
  int parallelism() const noexcept override { return 3; }
  RefPtr<Parker> make_parker() noexcept override { return threads_->make_parker(); }

 private:
  std::unique_ptr<Executor> threads_ = make_threads({.compute_threads = 1});
};

// Time stands still: blocks keep getting wider, and anchors are due as often as possible.
class StandingClock final : public Clock {
 public:
  int64_t now_ns() override { return 1; }
};

class CountingRandom final : public RandomSource {
 public:
  uint64_t draw() override { return ++state_; }

 private:
  uint64_t state_ = 0;
};

bool buffers_fail = false;

void* allocate_or_not(void*, size_t size, size_t alignment) {
  return buffers_fail || allocation_fails(size)
             ? nullptr
             : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void release(void*, void* data, size_t) { std::free(data); }

class LoneRuntime {
 public:
  LoneRuntime() {
    runtime_.executor = &executor_;
    runtime_.clock = &clock_;
    runtime_.files = &local_file_system();
    runtime_.random = &random_;
    runtime_.pool = &pool_;
    runtime_.world = {0, 1, {}};
  }
  Runtime& operator*() { return runtime_; }

 private:
  NoThreads executor_;
  StandingClock clock_;
  CountingRandom random_;
  // It keeps nothing, so that each buffer is requested from the host.
  BufferPool pool_{0, {allocate_or_not, release, nullptr}};
  Runtime runtime_;
};

struct Case {
  std::string text;
  // Errors stand in place of the missing elements.
  bool keeps_places = true;
  // The elements given are part of the full sequence.
  bool in_order = true;
  // As the operators' Scarcely say.
  bool opens = false;
  bool remembers = false;
  bool endless = false;
};

bool has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const auto& [name, list] : ContractEntries::all()) {
    for (const ContractEntry& entry : list) {
      Case one{entry.text};
      for (size_t at = 0; (at = one.text.find("PROBE", at)) != std::string::npos;)
        one.text.replace(at, 5, "range(23)");
      for (size_t at = 0; (at = one.text.find("FOLDER", at)) != std::string::npos;)
        one.text.replace(at, 6, WEIR_SOURCE_DIR);
      out.push_back(std::move(one));
    }
  }
  for (const char* text : {
           "range(20000) | batch(9000) | map(x -> x + 1)",
           "range(30) | map(x -> (x, full([x % 3], x))) | shuffle(20, seed: 3) | batch(1)",
           "range(60) | map(x -> (x, full([12], x))) | shuffle(20, seed: 3) | take(30)",
           "range(60) | map(x -> full([x % 7], x)) | shuffle(20, seed: 3)",
           "range(40) | map(x -> (full([x % 7], x), x)) | ragged_batch(6)",
           "range(40) | map(x -> full([x % 7], x)) | sparse_batch(6, [none])",
           "from_sparse_tensor_slices(from_dense(reshape(arange(60) % 5, [20, 3])))",
           "range(40) | map(x -> from_dense([x, 0, x % 3])) | batch(6)",
           "text_line([\"nowhere\", \"" WEIR_SOURCE_DIR "/tests/conformance/data/crlf.txt\", \"nowhere\"])",
           "range(60) | enumerate() | filter((i, x) -> x % 2 == 0) | prefetch(4)",
           "zip(range(20) | batch(2), range(10) | map(x -> {a: x, b: -x}) | prefetch(2))",
       }) {
    out.push_back({text});
  }
  static const std::regex called("(\\w+)\\(");
  for (Case& one : out) {
    unsigned scarcely = 0;
    for (std::sregex_iterator at(one.text.begin(), one.text.end(), called), end; at != end; ++at)
      scarcely |= ContractEntries::scarcely((*at)[1]);
    one.keeps_places = (scarcely & kLosesPlaces) == 0;
    for (const char* what : {"nowhere", "probe(", "num_parallel_reads"})
      if (has(one.text, what)) one.keeps_places = false;
    one.in_order =
        one.keeps_places || ((scarcely & kLosesOrder) == 0 && !has(one.text, "num_parallel_reads"));
    one.opens = (scarcely & kOpens) != 0;
    one.remembers = (scarcely & kRemembers) != 0;
    one.endless = (scarcely & kEndless) != 0;
  }
  return out;
}

bool is_error(const std::string& line) { return line.rfind("error: ", 0) == 0; }

// The rows of one call of next, while memory is scarce.
Lines next_lines(Iterator& iterator, int rows, Scarcity& scarcity) {
  Block block;
  Result<PullResult> got = PullResult::end;
  {
    const Scarce scarce(scarcity);
    got = iterator.next(rows, block);
  }
  if (!got.ok()) return {"error: " + std::string(code_name(got.status().code()))};
  if (*got == PullResult::end) return {};
  if (*got != PullResult::rows) return {"cancelled"};
  Lines out;
  for (int i = 0; i < block.rows; ++i) {
    const ErrorPtr* error = block.error_of(i);
    out.push_back(error ? "error: " + std::string(code_name((*error)->code))
                        : require_value(format_element(iterator.spec(), on_host_row(block.row(i)))));
  }
  return out;
}

struct Plan {
  int rows;
  int64_t first;
  int64_t count;
  // Memory is available again after the first error, and the position is saved and restored.
  bool restores;
};

// The lines, with one run of errors in place of one run of clean lines.
bool lacks_one_run(const Lines& lines, const Lines& clean) {
  const size_t least = std::min(lines.size(), clean.size());
  size_t before = 0;
  while (before < least && lines[before] == clean[before]) ++before;
  size_t behind = 0;
  while (before + behind < least && lines[lines.size() - 1 - behind] == clean[clean.size() - 1 - behind])
    ++behind;
  return std::all_of(lines.begin() + static_cast<ptrdiff_t>(before),
                     lines.end() - static_cast<ptrdiff_t>(behind), is_error);
}

void check_lines(const Case& one, const Plan& plan, const Lines& lines, const Lines& clean) {
  if (one.keeps_places && one.opens && (lines.size() != clean.size() || plan.count > 1)) {
    REQUIRE(lines.size() < clean.size() + 2);
    // A failed opening may not have been counted, and then later epochs have another order.
    if (plan.count == 1 && !has(one.text, "repeat(")) REQUIRE(lacks_one_run(lines, clean));
    return;
  }
  if (one.keeps_places && plan.count == 1) REQUIRE(lines.size() == clean.size());
  size_t at = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (is_error(lines[i]) && (lines[i] == "error: resource_exhausted" || !one.keeps_places)) continue;
    bool expected = true;
    if (one.remembers) {
      if (is_error(clean[std::min(i, clean.size() - 1)])) continue;
    } else if (one.keeps_places) {
      expected = i < clean.size() && lines[i] == clean[i];
    } else if (one.in_order) {
      while (at < clean.size() && clean[at] != lines[i]) ++at;
      expected = at++ < clean.size();
    }
    INFO("row " << i << ": " << lines[i]);
    if (!expected) FAIL("expected " << (i < clean.size() ? clean[i] : "nothing"));
  }
}

// Returns false if no allocation failed.
bool run_scarcely(Runtime& runtime, const Case& one, const Plan& plan, const Lines& clean) {
  INFO("allocations " << plan.first << " + " << plan.count << ", rows " << plan.rows);
  OpenIterator iterator = open_text(runtime, one.text);
  Scarcity scarcity{.first = plan.first, .count = plan.count};
  Lines lines;
  // A call gives at least one row.
  for (size_t calls = 0;; ++calls) {
    if (calls > 2 * clean.size() + 40) FAIL("no end");
    const Lines more = next_lines(*iterator, plan.rows, scarcity);
    if (more.empty()) break;
    lines.insert(lines.end(), more.begin(), more.end());
    if (lines.back() == "cancelled") FAIL("cancelled, though nobody did");
    if (plan.restores && lines.back() == "error: resource_exhausted") {
      scarcity.count = 0;
      const std::string saved = require_value(iterator->save());
      const Lines rest = all_lines(*iterator);
      iterator = open_text(runtime, one.text, &saved);
      const Lines restored = all_lines(*iterator);
      if (one.keeps_places && (!one.opens || lines.size() + rest.size() == clean.size())) {
        REQUIRE(restored.size() == rest.size());
        // What failed and was still to come is made again.
        for (size_t i = 0; i < rest.size(); ++i) {
          if (!is_error(rest[i]) && restored[i] != rest[i])
            FAIL("expected " << rest[i] << ", restored " << restored[i]);
        }
      }
      lines.insert(lines.end(), rest.begin(), rest.end());
      break;
    }
  }
  check_lines(one, plan, lines, clean);
  return scarcity.failed > 0;
}

constexpr int64_t kEach = kSanitized ? 4 : 150;
constexpr int64_t kWider = kSanitized ? 32 : 1;

// The allocation to fail after `first`: each of the first ones, which are those of opening and of the first
// rows, then ever fewer.
int64_t next_to_fail(int64_t first) { return first + 1 + std::max<int64_t>(0, first - kEach) * kWider / 16; }

bool can_be_saved(Runtime& runtime, const std::string& text) {
  return parse_text(runtime, text)->root()->not_replayable().empty();
}

template <class Check>
void for_each_case(Check check) {
  register_probe();
  LoneRuntime runtime;
  for (const Case& one : cases()) {
    INFO(one.text);
    const Lines clean = all_lines(*runtime, one.text);
    check(*runtime, one, clean);
  }
}

TEST_CASE("out of memory: one allocation that fails costs its element, and nothing else moves", "[memory]") {
  for_each_case([](Runtime& runtime, const Case& one, const Lines& clean) {
    for (int rows : {1, 7}) {
      for (int64_t first = 0; run_scarcely(runtime, one, {rows, first, 1, false}, clean);
           first = next_to_fail(first)) {
      }
    }
  });
}

TEST_CASE("out of memory: where no allocation succeeds any more the sequence ends", "[memory]") {
  for_each_case([](Runtime& runtime, const Case& one, const Lines& clean) {
    if (one.endless) return;
    for (int rows : {1, 7}) {
      int64_t step = 1;
      for (int64_t first = 0; run_scarcely(runtime, one, {rows, first, INT64_MAX, false}, clean);
           first += step) {
        step = 1 + first * kWider / 16;
      }
      for (int64_t few : {2, 5, 30}) {
        for (int64_t first = 0; run_scarcely(runtime, one, {rows, first, few, false}, clean);
             first += 1 + first * kWider / 16) {
        }
      }
    }
  });
}

// Only what batches are made of.
TEST_CASE("out of memory: a batch without a buffer is an error in its place", "[memory]") {
  LoneRuntime runtime;
  const std::string text = "range(36000) | batch(9000) | map(x -> sum(x))";
  const Lines clean = all_lines(*runtime, text);
  REQUIRE(clean.size() == 4);
  for (size_t lost = 0; lost < 4; ++lost) {
    OpenIterator iterator = open_text(*runtime, text);
    Lines expected = clean;
    expected[lost] = "error: resource_exhausted";
    Lines lines;
    for (size_t i = 0; i < 4; ++i) {
      buffers_fail = i == lost;
      const Lines line = take_lines(*iterator, 1);
      lines.insert(lines.end(), line.begin(), line.end());
    }
    buffers_fail = false;
    CHECK(lines == expected);
    CHECK(take_lines(*iterator, 1) == Lines{"end"});
  }
}

TEST_CASE("out of memory: a position saved behind it is that of the elements", "[memory]") {
  for_each_case([](Runtime& runtime, const Case& one, const Lines& clean) {
    if (!can_be_saved(runtime, one.text)) return;
    for (int rows : {1, 7}) {
      for (int64_t first = 0; run_scarcely(runtime, one, {rows, first, 1, true}, clean);
           first = next_to_fail(first)) {
      }
      for (int64_t first = 0;
           !one.endless && run_scarcely(runtime, one, {rows, first, INT64_MAX, true}, clean);
           first += 1 + first * kWider / 8) {
      }
    }
  });
}

}  // namespace
}  // namespace weir::test
