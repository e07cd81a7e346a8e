// CallTuner: how many calls of a function should be in flight, found by trying.
//
// It begins with `first` calls and measures rows per second over windows of time. While the consumer waits
// for rows and the feed has them, the calls bound the throughput, and it tries twice as many. At first, and
// when the load has changed, windows are short if calls are alike, and it continues as long as rows increase
// nearly as much as calls. After that, windows become longer, and a step is kept only if the throughput
// gained more than two windows at the same setting differ. After a failed trial it waits for twice as many
// windows as before, until the load changes, as a CUSUM of the difference to the settled rate tells. While
// the consumer never waits, it goes back step by step.
//
// It never changes a row, their order or a position. Not thread-safe: its owner's lock guards it. A call
// costs some 5 ns.
#pragma once

#include <cstdint>

namespace weir {

struct CallTunerOptions {
  // REQUIRES: 1 <= first <= most
  int first = 1;
  // A ceiling, never exceeded.
  int most = 1;
  // As few as a slow consumer makes of it; 0: first.
  int least = 0;
  // One call is like the next, so that at first short windows will do.
  bool alike = true;
};

class CallTuner {
 public:
  explicit CallTuner(const CallTunerOptions& options)
      : options_(options), limit_(options.first), phase_(first_phase()) {
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
  // The calls of another window follow, for the same function: what was counted of an unfinished window of
  // time stays only if there was no pause.
  void go_on(bool paused) {
    if (paused) window_begin_ns_ = -1;
  }
  // From here on `calls` or more are in flight, and up to `most` are worth a trial.
  void widen(int calls, int most);

 private:
  enum class Phase : uint8_t { first_step, step, first_window, second_window, trial, resting };

  Phase first_phase() const { return options_.alike ? Phase::first_step : Phase::first_window; }
  bool end_window(double rate);
  bool end_step(double rate);
  bool end_trial(double rate);
  void begin_window(int64_t now_ns);
  void rest(double rate);
  bool try_more(Phase phase);
  int64_t least_calls() const;
  bool has_changed(double rate);

  CallTunerOptions options_;
  int limit_;
  Phase phase_;
  // After a change, until the calls that began before it have ended.
  bool settling_ = false;
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

// Whether calls compute or wait, by how long some of the long ones compute. Guarded by its owner's lock.
class WaitDetector {
 public:
  // Asked before each call: whether it is to be measured how long it computes.
  bool samples() {
    if (first_ > 0) return first_-- > 0;
    return until_sample_ >= 0 && --until_sample_ < 0;
  }
  // Adds a call that has ended; `computed_ns` is negative if not measured. Returns true, once, if most of the
  // time of the last ones was spent waiting.
  bool add(int64_t wall_ns, int64_t computed_ns);

 private:
  static constexpr int kSampled = 4;

  int64_t wall_ns_ = 0;
  int64_t computed_ns_ = 0;
  int calls_ = 0;
  bool waits_ = false;
  // Of the first calls, so many are still to be measured.
  int first_ = kSampled;
  // Calls until the next one that is measured; negative: none is.
  int until_sample_ = -1;
};

}  // namespace weir
