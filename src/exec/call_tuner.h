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

namespace weir {

struct CallTunerOptions {
  // REQUIRES: 1 <= first <= most
  int first = 1;
  // A ceiling, never exceeded.
  int most = 1;
};

// `calls` if it is positive. Else there is a range to find the best in where functions wait; those that compute take all
// cores.
CallTunerOptions limits_of_calls(int calls, Lane lane, const Executor& executor);

class CallTuner {
 public:
  explicit CallTuner(const CallTunerOptions& options) : options_(options), limit_(options.first) {}

  // How many calls may be in flight now.
  int limit() const { return limit_; }
  bool fixed() const { return options_.first == options_.most; }

  // A call of `rows` rows has ended. Returns true if limit() is higher than before.
  bool done(int64_t rows, int64_t now_ns);
  // The consumer found no row.
  void starved() { starved_ = true; }
  // The feed had no row although a call could have begun.
  void hungry() { hungry_ = true; }
  // From here on up to `most` calls are worth a trial.
  void raise_ceiling(int most);

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

// Whether a function computes or waits, by the processor time of sampled calls. Guarded by its owner's lock.
class WaitDetector {
 public:
  // A call of this length is worth a look at the processor's clock.
  static constexpr int64_t kLongNs = 100'000;
  // Adds a long call. Returns true, once, if most of the time of the last ones was spent waiting.
  bool add(int64_t wall_ns, int64_t cpu_ns);

 private:
  int64_t wall_ns_ = 0;
  int64_t cpu_ns_ = 0;
  int calls_ = 0;
  bool waits_ = false;
};

}  // namespace weir
