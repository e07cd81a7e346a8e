// CallWatch: how long a call computes, as a WaitProbe takes it. A thread that never gave up its processor
// by itself has computed all the time, however long others had the processor in between: on a busy machine
// that is most of the time, and no reason to have more calls at once.
//
//   CallWatch watch;
//   watch.begin(clock);
//   … the call, on the same thread, which took took_ns …
//   probe.add(1, took_ns, watch.computed_ns(clock, took_ns));
//
// Both calls ask the system twice and take some 500 ns together, so only sampled calls are watched.
#pragma once

#include <cstdint>

#include "core/clock.h"

namespace weir {

class CallWatch {
 public:
  void begin(Clock& clock) noexcept;
  // REQUIRES: begun on this thread
  int64_t computed_ns(Clock& clock, int64_t took_ns) const noexcept;

  // How long it would have taken without sharing its processor, and how much of that it computed. Time in
  // which the thread gave up its processor by itself counts, even if others used it.
  struct Length {
    int64_t ns = 0;
    int64_t computed_ns = 0;
  };
  // REQUIRES: begun on this thread
  Length length(Clock& clock, int64_t took_ns) const noexcept;

 private:
  bool kept_processor() const noexcept;

  int64_t begin_computing_ns_ = 0;
  int64_t begin_waits_ = -1;
};

}  // namespace weir
