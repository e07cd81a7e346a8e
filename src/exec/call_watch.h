// CallWatch: how long a call computes, as a WaitDetector takes it. A thread that never gave up its processor
// by itself has computed all the time, however long others had the processor in between: on a busy machine
// that is most of the time, and no reason to have more calls at once.
//
//   CallWatch watch;
//   watch.begin(clock);
//   … the call, on the same thread, which took took_ns …
//   detector.add(took_ns, watch.computed_ns(clock, took_ns));
//
// Both calls ask the system twice and take some 500 ns together, so only sampled calls are watched.
//
// WaitShare: whether feeds spend most of their time waiting, by all of their first pulls, which open files,
// and some of the others. The first few pulls are judged at once, and corrected by those that follow: a feed
// whose file takes long to open, and whose rows are then there, computes if it has many rows.
#pragma once

#include <algorithm>
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

// Guarded by its owner's lock.
class WaitShare {
 public:
  // Asked before each pull: the number of pulls that it counts for if it is to be watched, else 0.
  int stands_for(bool first) {
    if (first) return 1;
    if (++since_last_ < kSampleEvery) return 0;
    since_last_ = 0;
    return kSampleEvery;
  }
  // Adds a pull that was watched.
  void add(int stands_for, int64_t took_ns, int64_t computed_ns) {
    took_ns_ += stands_for * took_ns;
    waited_ns_ += stands_for * std::max<int64_t>(0, took_ns - computed_ns);
    if (++pulls_ < (known_ ? kJudged : kJudgedFirst)) return;
    known_ = true;
    // Where more threads than processors want to run, those that compute wait for each other, too.
    waits_ = waited_ns_ > took_ns_ / 4 * 3 && waited_ns_ >= kLeastWaitedNs;
    pulls_ = 0;
    // What was before counts half.
    took_ns_ /= 2;
    waited_ns_ /= 2;
  }
  // False until enough is known.
  bool waits() const { return waits_; }

 private:
  static constexpr int kSampleEvery = 16;
  static constexpr int kJudgedFirst = 4;
  static constexpr int kJudged = 64;
  // Less than a tenth of a millisecond a pull is not worth a thread.
  static constexpr int64_t kLeastWaitedNs = 400'000;

  int since_last_ = 0;
  int pulls_ = 0;
  int64_t took_ns_ = 0;
  int64_t waited_ns_ = 0;
  bool known_ = false;
  bool waits_ = false;
};

}  // namespace weir
