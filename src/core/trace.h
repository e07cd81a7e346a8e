// TraceLog: what threads did when, for a timeline in Chrome's trace event format, which Perfetto opens.
//
//   TraceSlice slice(runtime.trace, runtime.clock, "call", "map");  // until the end of the scope
//
// Keeps the newest kMaxEvents slices and counts those it dropped. May be used on any thread; a slice costs
// two readings of the clock and a lock, and nothing where the log is null. Names are literals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sync.h"

namespace weir {

class Clock;

class TraceLog {
 public:
  static constexpr size_t kMaxEvents = size_t{1} << 18;

  explicit TraceLog(size_t max_events = kMaxEvents) : max_events_(max_events) {}

  // Drops the slice if there is no memory for it.
  void add(const char* what, const char* stage, int64_t begin_ns, int64_t end_ns) noexcept;
  // {"traceEvents": [...], ...}: slices ("ph": "X") in microseconds since the first one began, and the
  // threads' names.
  std::string to_json() const;

 private:
  struct Event {
    const char* what;
    const char* stage;
    int64_t begin_ns;
    int64_t end_ns;
    int thread;
  };
  struct ThreadName {
    int thread;
    std::string name;
  };

  const size_t max_events_;
  // A leaf.
  mutable Mutex mutex_;
  // A ring, once it is full.
  std::vector<Event> events_;
  std::vector<ThreadName> names_;
  uint64_t added_ = 0;
  uint64_t dropped_ = 0;
};

class TraceSlice {
 public:
  TraceSlice(TraceLog* log, Clock* clock, const char* what, const char* stage) noexcept;
  TraceSlice(const TraceSlice&) = delete;
  TraceSlice& operator=(const TraceSlice&) = delete;
  ~TraceSlice() {
    if (log_) [[unlikely]]
      finish();
  }

 private:
  void finish() noexcept;

  TraceLog* const log_;
  Clock* const clock_;
  const char* const what_;
  const char* const stage_;
  int64_t begin_ns_ = 0;
};

}  // namespace weir
