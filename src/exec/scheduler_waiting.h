// How long threads wait for elements, for the parts of Scheduler.
#pragma once

#include <cstdint>

#include "exec/scheduler.h"

namespace weir {

// Measures how long a thread waits for an element.
class Scheduler::Waiting {
 public:
  explicit Waiting(Scheduler& scheduler)
      : scheduler_(scheduler),
        slice_(scheduler.trace_, scheduler.clock_, "wait", "next"),
        begin_ns_(scheduler.clock_ ? scheduler.clock_->now_ns() : 0) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    if (!scheduler_.clock_) return;
    scheduler_.waited_ns_.fetch_add(scheduler_.clock_->now_ns() - begin_ns_, std::memory_order_relaxed);
  }

 private:
  Scheduler& scheduler_;
  const TraceSlice slice_;
  const int64_t begin_ns_;
};

}  // namespace weir
