// CallTuner: how many calls of a function should be in flight, found by trying.
//
// It begins with `first` calls and measures rows per second over windows of time. While the consumer waits for rows and
// the feed has them, the calls are what bounds the throughput: it then tries twice as many, and keeps them only if the
// throughput gained more than two windows at the same setting differ. After a failed trial it waits for twice as many
// windows as before, until the load changes: a CUSUM of the difference to the rate that it settled at says so. While the
// consumer never waits, it goes back step by step.
//
// It never changes a row, their order or a position. Not thread-safe: its owner's lock guards it. A call costs some 5 ns.
#pragma once

#include <cstdint>

#include "exec/executor.h"
#include "exec/tuning.h"

namespace weir {

struct CallTunerOptions {
  // REQUIRES: 1 <= first <= most
  int first = 1;
  // A ceiling, never exceeded.
  int most = 1;
  // As few as a slow consumer makes of it; 0: first.
  int least = 0;
};

// `calls` if it is positive. Else there is a range to find the best in where functions wait; those that compute take all
// cores.
CallTunerOptions limits_of_calls(int calls, Lane lane, const Executor& executor, const Tuning& tuning,
                                 const TunerStart& start);
// How many calls that wait may be in flight: most of the threads of the blocking lane, since reads need some, too.
int most_waiting_calls(const Executor& executor, const Tuning& tuning);

class CallTuner {
 public:
  explicit CallTuner(const CallTunerOptions& options) : options_(options), limit_(options.first) {
    if (options_.least == 0) options_.least = options_.first;
  }

  // How many calls may be in flight now.
  int limit() const { return limit_; }
  bool fixed() const { return options_.least == options_.most; }

  // A call of `rows` rows has ended. Returns true if limit() is higher than before.
  bool done(int64_t rows, int64_t now_ns);
  // The consumer found no row.
  void starved() { starved_ = true; }
  // The feed had no row although a call could have begun.
  void hungry() { hungry_ = true; }
  // From here on `calls` or more are in flight, and up to `most` are worth a trial.
  void widen(int calls, int most);

 private:
  enum class Phase : uint8_t { first_window, second_window, settling, trial, resting };

  bool end_window(double rate);
  void begin_window(int64_t now_ns);
  void rest(double rate);
  bool try_more();
  bool has_changed(double rate);

  CallTunerOptions options_;
  int limit_;
  Phase phase_ = Phase::first_window;
  int64_t window_begin_ns_ = -1;
  int64_t calls_ = 0;
  int64_t rows_ = 0;
  bool starved_ = false;
  bool hungry_ = false;
  // Rows per nanosecond of the last windows at `settled_limit_`, and how far they were apart.
  double rate_ = 0;
  double noise_ = 0;
  int settled_limit_ = 1;
  // Windows until the next trial, and how many the next failure costs.
  int pause_ = 0;
  int next_pause_ = 1;
  int idle_windows_ = 0;
  double cusum_ = 0;
};

// Whether calls compute or wait, by the processor time of some of the long ones. Guarded by its owner's lock.
class WaitDetector {
 public:
  // Asked before each call: whether its processor time is to be taken.
  bool samples() { return until_sample_ >= 0 && --until_sample_ < 0; }
  // Adds a call that has ended; `cpu_ns` is negative if nobody took its processor time. Returns true, once, if most of the
  // time of the last ones was spent waiting.
  bool add(int64_t wall_ns, int64_t cpu_ns);

 private:
  int64_t wall_ns_ = 0;
  int64_t cpu_ns_ = 0;
  int calls_ = 0;
  bool waits_ = false;
  // Calls until the next one whose processor time is taken; negative: none is.
  int until_sample_ = -1;
};

}  // namespace weir
