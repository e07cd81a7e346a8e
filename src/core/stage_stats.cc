#include "core/stage_stats.h"

#include <algorithm>
#include <new>

#include "core/clock.h"

namespace weir {

namespace {

// What measuring costs at least: two readings around each span, and where computing is compared as well, two
// of the thread's clock, which is a system call.
constexpr int64_t kSpanNs = 100;
constexpr int64_t kComparedSpanNs = 1500;
constexpr int64_t kSampleNs = 200;
// One part in so many of the time may go into measuring.
constexpr int64_t kShare = 200;
constexpr int64_t kMostPulls = 16384;
constexpr int64_t kMostGrowth = 8;
// Every so many samples, computing is compared with waiting.
constexpr uint64_t kComparedEach = 8;
// Pulls this far apart are all compared.
constexpr int64_t kSlowNs = 300'000;

}  // namespace

double TimeSums::computing() const {
  if (compared_ns <= 0) return -1;
  return std::clamp(static_cast<double>(computing_ns) / static_cast<double>(compared_ns), 0.0, 1.0);
}

void TimeSums::add(const TimeCounters& counters) {
  ns += counters.ns.load(std::memory_order_relaxed);
  compared_ns += counters.compared_ns.load(std::memory_order_relaxed);
  computing_ns += counters.computing_ns.load(std::memory_order_relaxed);
}

void WindowNow::add(int64_t more_rows, int64_t more_max_rows, int64_t more_bytes, int64_t more_max_bytes) {
  ++windows;
  rows += std::max<int64_t>(0, more_rows);
  max_rows = std::min(kUnbounded, max_rows + std::min(kUnbounded, more_max_rows));
  bytes += more_bytes;
  max_bytes = std::min(kUnbounded, max_bytes + std::min(kUnbounded, more_max_bytes));
}

void StageStats::link(LiveCounts*& list, LiveCounts& counts) noexcept {
  counts.next_ = list;
  counts.place_ = &list;
  if (list) list->place_ = &counts.next_;
  list = &counts;
}

void StageStats::unlink(LiveCounts& counts) noexcept {
  *counts.place_ = counts.next_;
  if (counts.next_) counts.next_->place_ = counts.place_;
  counts.place_ = nullptr;
}

void StageStats::open(LiveStage& stage) noexcept {
  MutexLock lock(mutex_);
  link(stages_, stage);
}

void StageStats::close(LiveStage& stage) noexcept {
  MutexLock lock(mutex_);
  unlink(stage);
  closed_rows_ += stage.rows.load(std::memory_order_relaxed);
  closed_openings_ += stage.openings.load(std::memory_order_relaxed);
}

void StageStats::open(LiveWindow& window) noexcept {
  MutexLock lock(mutex_);
  link(windows_, window);
  most_windows_ = std::max(most_windows_, ++windows_now_);
}

void StageStats::close(LiveWindow& window) noexcept {
  MutexLock lock(mutex_);
  closed_ = WindowNow();
  window.add_now(closed_);
  unlink(window);
  --windows_now_;
}

StageSnapshot StageStats::snapshot() noexcept {
  StageSnapshot out;
  out.operator_name = operator_name;
  out.input = input_number;
  out.internal = internal;
  out.failed = failed.load(std::memory_order_relaxed);
  out.busy.add(busy);
  out.waited_for_input_ns = waited_for_input_ns.load(std::memory_order_relaxed);
  out.waited_for_consumer_ns = waited_for_consumer_ns.load(std::memory_order_relaxed);
  out.calls = calls.load(std::memory_order_relaxed);
  out.call_time.add(call_time);
  out.copies = copies.load(std::memory_order_relaxed);
  out.copied_bytes = copied_bytes.load(std::memory_order_relaxed);
  out.waited_for_device_ns = waited_for_device_ns.load(std::memory_order_relaxed);
  {
    MutexLock lock(mutex_);
    int64_t rows = closed_rows_;
    out.openings = closed_openings_;
    for (const LiveCounts* counts = stages_; counts; counts = counts->next_) {
      const auto& stage = *static_cast<const LiveStage*>(counts);
      rows += stage.rows.load(std::memory_order_relaxed);
      out.openings += stage.openings.load(std::memory_order_relaxed);
      ++out.open_now;
    }
    // A row may have been counted as failed before it is counted as a row.
    out.elements = std::max<int64_t>(0, rows - out.failed);
    for (const LiveCounts* window = windows_; window; window = window->next_)
      static_cast<const LiveWindow*>(window)->add_now(out.window);
    if (!windows_) {
      out.window.max_rows = closed_.max_rows;
      out.window.max_bytes = closed_.max_bytes;
      out.window.max_calls = closed_.max_calls;
    }
    out.most_windows = most_windows_;
  }
  const int64_t measured = sampled_rows.load(std::memory_order_relaxed);
  if (measured > 0) {
    const auto bytes = static_cast<double>(sampled_bytes.load(std::memory_order_relaxed));
    out.bytes =
        static_cast<int64_t>(bytes / static_cast<double>(measured) * static_cast<double>(out.elements));
  }
  return out;
}

StatsTree::~StatsTree() {
  StageStats* node = root_.load();
  // Children come before what follows, without recursion and, since a list is spliced in front, without
  // memory.
  while (node) {
    if (StageStats* child = node->first_child_.load()) {
      StageStats* last = child;
      while (last->next_sibling_) last = last->next_sibling_;
      last->next_sibling_ = node->next_sibling_;
      node->next_sibling_ = child;
    }
    StageStats* next = node->next_sibling_;
    delete node;
    node = next;
  }
}

StageStats* StatsTree::find_in(const std::atomic<StageStats*>& list, const char* op, int input, int depth,
                               bool is_internal) const noexcept {
  StageStats* node = list.load(std::memory_order_acquire);
  while (node && !node->is(op, input, depth, is_internal)) node = node->next_sibling_;
  return node;
}

StageStats* StatsTree::find(StageStats* parent, const char* op, int input, int depth,
                            bool is_internal) noexcept {
  std::atomic<StageStats*>& list = parent ? parent->first_child_ : root_;
  if (StageStats* found = find_in(list, op, input, depth, is_internal)) return found;
  MutexLock lock(mutex_);
  if (StageStats* found = find_in(list, op, input, depth, is_internal)) return found;
  if (count_ >= kMaxStages) return nullptr;
  auto* made = new (std::nothrow) StageStats(op, input, depth, is_internal);
  if (!made) return nullptr;
  ++count_;
  made->next_sibling_ = list.load(std::memory_order_relaxed);
  list.store(made, std::memory_order_release);
  return made;
}

std::vector<StageSnapshot> StatsTree::snapshot() {
  struct Place {
    StageStats* node;
    int parent;
  };
  std::vector<StageSnapshot> out;
  std::vector<const StageStats*> nodes;
  std::vector<Place> waiting;
  const auto push_list = [&](StageStats* first, int parent) {
    // The newest is first in its list, and is pushed first, so that the oldest comes off first.
    for (; first; first = first->next_sibling_) waiting.push_back({first, parent});
  };
  push_list(root_.load(std::memory_order_acquire), -1);
  while (!waiting.empty()) {
    const Place place = waiting.back();
    waiting.pop_back();
    out.push_back(place.node->snapshot());
    out.back().parent = place.parent;
    nodes.push_back(place.node);
    push_list(place.node->first_child_.load(std::memory_order_acquire), static_cast<int>(out.size()) - 1);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const StageStats* segment = nodes[i]->segment.load(std::memory_order_relaxed);
    const auto found = std::find(nodes.begin(), nodes.end(), segment);
    if (segment && found != nodes.end()) out[i].segment = static_cast<int>(found - nodes.begin());
  }
  return out;
}

Sample::Sample(Clock& clock, const StageStats* segment, int64_t weight, bool compares)
    : clock_(clock), segment_(segment), weight_(weight), compares_(compares) {
  const int64_t before = clock_.now_ns();
  reading_ns_ = clock_.now_ns() - before;
}

Sample::Span Sample::begin() noexcept {
  Span span{0, 0, inside_ns_, inside_computing_ns_};
  inside_ns_ = 0;
  inside_computing_ns_ = 0;
  ++spans_;
  if (compares_) span.begin_computing_ns = clock_.computing_ns();
  span.begin_ns = clock_.now_ns();
  return span;
}

void Sample::end(const Span& span, StageStats* stage, int64_t rows, int64_t bytes) noexcept {
  const int64_t took = clock_.now_ns() - span.begin_ns;
  const int64_t computed = compares_ ? clock_.computing_ns() - span.begin_computing_ns : 0;
  if (stage) {
    const int64_t own = std::max<int64_t>(0, took - reading_ns_ - inside_ns_);
    add_to(stage->busy.ns, own * weight_);
    if (compares_) {
      add_to(stage->busy.compared_ns, own);
      add_to(stage->busy.computing_ns, std::clamp<int64_t>(computed - inside_computing_ns_, 0, own));
    }
    if (bytes >= 0) {
      add_to(stage->sampled_rows, rows);
      add_to(stage->sampled_bytes, bytes);
    }
    stage->segment.store(segment_, std::memory_order_relaxed);
  }
  inside_ns_ = span.outer_ns + took + reading_ns_;
  inside_computing_ns_ = span.outer_computing_ns + computed;
}

Sample Sampler::begin(Clock& clock, const StageStats* segment) noexcept {
  ++number_;
  began_ns_ = clock.now_ns();
  const bool slow = last_ns_ != 0 && (began_ns_ - last_ns_) / chosen_ > kSlowNs;
  // The system calls of a comparison would count as the time of short stages, so the next sample stands for
  // its pulls, too.
  const bool only_compares = !slow && number_ % kComparedEach == 0;
  return Sample(clock, segment, only_compares ? 0 : chosen_, slow || only_compares);
}

void Sampler::finish(Clock& clock, const Sample& sample) noexcept {
  const int64_t now = clock.now_ns();
  // What a pull takes with all that lies between two of them. The first sample has nothing before it.
  const int64_t pull_ns = std::max<int64_t>(
      1, last_ns_ == 0 ? now - began_ns_ : (now - last_ns_) / std::max<int64_t>(chosen_, 1));
  const int64_t usual_ns = kSampleNs + sample.spans() * (sample.compares() ? kComparedSpanNs : kSpanNs);
  // Where readings are slow, as in a virtual machine or under a profiler.
  const int64_t cost_ns = std::max(usual_ns, 4 * sample.spans() * sample.reading_ns());
  const int64_t most = std::min(kMostPulls, chosen_ * kMostGrowth);
  const int64_t pulls = std::clamp<int64_t>(cost_ns * kShare / pull_ns, 1, most);
  // Spread, so that what comes back regularly is not always met or never: a multiplicative sequence is
  // enough.
  const auto spread = static_cast<int64_t>((number_ * 0x9e3779b97f4a7c15u) >> 32);
  left_ = pulls <= 2 ? pulls : pulls - pulls / 4 + spread % (pulls / 2 + 1);
  if (sample.weight() == 0) {
    chosen_ += left_;
    return;
  }
  chosen_ = left_;
  last_ns_ = now;
}

}  // namespace weir
