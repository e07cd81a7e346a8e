// StageStats: counters of one stage of an iterator: elements, bytes, time, and the rows and waits of its
// Windows.
//
// There is one StageStats per operator in the graph; all openings inside a flat_map share it. They form a
// tree, which the session owns (StatsTree) and which only grows, up to kMaxStages.
//
// Elements are counted exactly. Time and bytes are estimated from samples: now and then one pull of a segment
// is measured from end to end, in about half a percent of the elapsed time (Sampler). A sample counts for all
// pulls since the last one. Time is the runtime's clock.
//
// Counters may be written and read on any thread; a reader sees a recent value of each. Without memory for a
// StageStats, the pointer is null and nothing is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/ref.h"
#include "core/sync.h"

namespace weir {

class Clock;
class StageStats;
class StatsTree;

using Counter = std::atomic<int64_t>;
inline void add_to(Counter& counter, int64_t amount) { counter.fetch_add(amount, std::memory_order_relaxed); }
// For counters that only one thread at a time writes.
inline void add_alone(Counter& counter, int64_t amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

// Time on a clock, and how much of that a thread was computing.
struct TimeCounters {
  Counter ns{0};
  // Of some of the samples only.
  Counter compared_ns{0};
  Counter computing_ns{0};
};

struct TimeSums {
  int64_t ns = 0;
  int64_t compared_ns = 0;
  int64_t computing_ns = 0;
  // The part of the time spent computing rather than waiting, from 0 to 1; -1 if not measured.
  double computing() const;
  void add(const TimeCounters& counters);
};

// One of the things that a stage has open now. Lies in the object that it is about, which one thread opens
// and closes.
class LiveCounts {
 public:
  LiveCounts() = default;
  LiveCounts(const LiveCounts&) = delete;
  LiveCounts& operator=(const LiveCounts&) = delete;

 private:
  friend class StageStats;
  LiveCounts** place_ = nullptr;
  LiveCounts* next_ = nullptr;
};

// The rows of one open stage, and how often it began; written by the thread that drives it.
class LiveStage : public LiveCounts {
 public:
  Counter rows{0};
  Counter openings{1};
};

// What a Window holds now.
struct WindowNow {
  // From here on a limit is none.
  static constexpr int64_t kUnbounded = INT64_MAX / 4;

  int64_t windows = 0;
  int64_t rows = 0;
  int64_t max_rows = 0;
  int64_t bytes = 0;
  int64_t max_bytes = 0;
  int64_t calls = 0;
  int64_t max_calls = 0;

  void add(int64_t more_rows, int64_t more_max_rows, int64_t more_bytes, int64_t more_max_bytes);
};

class LiveWindow : public LiveCounts {
 public:
  virtual ~LiveWindow() = default;
  // Called with a lock held: takes none itself.
  virtual void add_now(WindowNow& out) const noexcept = 0;
};

// The copy of a StageStats that a reader takes.
struct StageSnapshot {
  const char* operator_name = "";
  // The number of the parent in the list, -1 for the root.
  int parent = -1;
  // Which of its parent's inputs it is, -1 if the parent has only one.
  int input = -1;
  // Serves the parent; no operator of the text.
  bool internal = false;
  // The number of the stage whose Window pulls this one; -1: the consumer does.
  int segment = -1;
  // Since the iterator was initialised; rows that a restore makes again count once more.
  int64_t elements = 0;
  int64_t failed = 0;
  int64_t openings = 0;
  int64_t open_now = 0;
  // -1: none was sampled.
  int64_t bytes = -1;
  // Its own time, without that of its inputs.
  TimeSums busy;
  // Of a stage with a Window.
  WindowNow window;
  int64_t most_windows = 0;
  // How long the consumer found it empty, and how long it was full.
  int64_t waited_for_input_ns = 0;
  int64_t waited_for_consumer_ns = 0;
  int64_t calls = 0;
  TimeSums call_time;
  // To a device.
  int64_t copies = 0;
  int64_t copied_bytes = 0;
  int64_t waited_for_device_ns = 0;
};

class StageStats {
 public:
  StageStats(const char* op, int input, int depth, bool is_internal)
      : operator_name(op), input_number(input), lambda_depth(depth), internal(is_internal) {}
  StageStats(const StageStats&) = delete;
  StageStats& operator=(const StageStats&) = delete;

  const char* const operator_name;
  const int input_number;
  const int lambda_depth;
  const bool internal;

  Counter failed{0};
  Counter sampled_rows{0};
  Counter sampled_bytes{0};
  TimeCounters busy;
  // Whose Window pulls it.
  std::atomic<const StageStats*> segment{nullptr};
  Counter waited_for_input_ns{0};
  Counter waited_for_consumer_ns{0};
  Counter calls{0};
  TimeCounters call_time;
  // Copies to a device, and how long they found no memory that earlier ones had left.
  Counter copies{0};
  Counter copied_bytes{0};
  Counter waited_for_device_ns{0};

  void open(LiveStage& stage) noexcept;
  // Its rows and openings stay counted.
  void close(LiveStage& stage) noexcept;
  void open(LiveWindow& window) noexcept;
  void close(LiveWindow& window) noexcept;

 private:
  friend class StatsTree;
  static void link(LiveCounts*& list, LiveCounts& counts) noexcept;
  static void unlink(LiveCounts& counts) noexcept;
  bool is(const char* op, int input, int depth, bool is_internal) const {
    return operator_name == op && input_number == input && lambda_depth == depth && internal == is_internal;
  }
  StageSnapshot snapshot() noexcept;

  std::atomic<StageStats*> first_child_{nullptr};
  // Fixed once it is in its parent's list.
  StageStats* next_sibling_ = nullptr;

  // A leaf. It guards what follows.
  Mutex mutex_;
  LiveCounts* stages_ = nullptr;
  LiveCounts* windows_ = nullptr;
  int64_t closed_rows_ = 0;
  int64_t closed_openings_ = 0;
  // What the last window that closed could hold.
  WindowNow closed_;
  int64_t windows_now_ = 0;
  int64_t most_windows_ = 0;
};

class StatsTree : public RefCounted {
 public:
  // Longer trees are cut: the stages beyond are not counted.
  static constexpr int kMaxStages = 512;

  // `waited_ns`: how long the scheduler's threads had waited before.
  StatsTree(int64_t begin_ns, int64_t waited_ns) : began_ns(begin_ns), waited_before_ns(waited_ns) {}
  ~StatsTree() override;

  const int64_t began_ns;
  const int64_t waited_before_ns;
  // When the consumer was told that there is no more; 0 until then.
  Counter ended_ns{0};
  void end(int64_t now_ns) noexcept {
    int64_t never = 0;
    ended_ns.compare_exchange_strong(never, now_ns, std::memory_order_relaxed);
  }

  // The one for that place, made at the first call; `parent` is null for the root. Null if there is none.
  StageStats* find(StageStats* parent, const char* op, int input, int depth, bool is_internal) noexcept;
  // All of them, parents before their inputs.
  std::vector<StageSnapshot> snapshot();

 private:
  StageStats* find_in(const std::atomic<StageStats*>& list, const char* op, int input, int depth,
                      bool is_internal) const noexcept;

  std::atomic<StageStats*> root_{nullptr};
  // A leaf, for adding.
  Mutex mutex_;
  int count_ = 0;
};

// One measured pull of a segment. It is on the stack of the puller; the Context points to it.
class Sample {
 public:
  // What one stage took, inputs included, while others were measured inside.
  struct Span {
    int64_t begin_ns;
    int64_t begin_computing_ns;
    int64_t outer_ns;
    int64_t outer_computing_ns;
  };

  Sample(Clock& clock, const StageStats* segment, int64_t weight, bool compares);

  Span begin() noexcept;
  // Adds what the span took, without what was measured inside, to `stage`.
  void end(const Span& span, StageStats* stage, int64_t rows, int64_t bytes) noexcept;

  int64_t spans() const { return spans_; }
  bool compares() const { return compares_; }
  int64_t weight() const { return weight_; }
  int64_t reading_ns() const { return reading_ns_; }

 private:
  Clock& clock_;
  const StageStats* const segment_;
  // The number of pulls that it counts for; 0 if it is only compared.
  const int64_t weight_;
  const bool compares_;
  // What one reading of the clock takes.
  int64_t reading_ns_;
  int64_t inside_ns_ = 0;
  int64_t inside_computing_ns_ = 0;
  int64_t spans_ = 0;
};

// Chooses the pulls of one segment that are measured. Used by one thread at a time.
class Sampler {
 public:
  // Called before each pull. The first pull is not measured: it may have opened things.
  bool due() { return --left_ == 0; }
  // REQUIRES: due() was true
  Sample begin(Clock& clock, const StageStats* segment) noexcept;
  void finish(Clock& clock, const Sample& sample) noexcept;

 private:
  int64_t left_ = 2;
  int64_t chosen_ = 2;
  int64_t began_ns_ = 0;
  int64_t last_ns_ = 0;
  uint64_t number_ = 0;
};

// Calls `pull`, which uses `context`, and measures it if it is due.
template <class C, class Pull>
auto pull_sampled(C& context, Sampler& sampler, const StageStats* segment, Pull&& pull) {
  if (!sampler.due()) [[likely]]
    return pull();
  Clock& clock = *context.runtime().clock;
  Sample sample = sampler.begin(clock, segment);
  context.sample = &sample;
  auto answer = pull();
  context.sample = nullptr;
  sampler.finish(clock, sample);
  return answer;
}

}  // namespace weir
