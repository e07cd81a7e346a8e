// AloneTuner: decides whether the thread that waits for an iterator's elements should make them alone,
// without the runtime's threads.
//
// Passing an element to another thread moves it from one processor's cache to the other's and wakes that
// thread. If the work is short, that costs more than a second processor gains. Only a trial can tell: the
// rate of elements is measured for a period with all threads, one alone, and another one with all threads.
// The iterator stays alone if that rate is a tenth above the better of the other two, by more than they
// differ.
//
// A trial starts only while the consumer does nothing but wait, elements come often, and the runs of pumps
// compute for at least a quarter of their time and are short, mostly up to 1.5 ms: work that waits for a
// device gains from many threads, and for long runs passing elements costs little. Being alone ends at once
// when the consumer takes its time or runs wait, and when the rate is no longer better; now and then a trial
// checks whether all threads would be better. A trial at less than four fifths of a steady rate ends after 3
// ms. After each trial that changed nothing, the next one comes twice as late, until the rate changes: under
// a steady load, trials take less than a hundredth of the time after the first two seconds.
//
// It never changes an element, their order or a position. Not thread-safe: its owner's lock guards it. Used
// only where a consumer had to wait.
#pragma once

#include <cstdint>

namespace weir {

class AloneTuner {
 public:
  // Nothing is tried before this. `begins_alone`: where an earlier run or dataset ended; it stays so if
  // `fixed`. `known`: the numbers of an earlier run were given, so that there is less to be tried.
  void start(bool begins_alone, bool known, bool fixed);
  // Threads are used from now on, and nothing is tried.
  void stop();

  bool alone() const {
    return phase_ == Phase::alone_trial || phase_ == Phase::alone || phase_ == Phase::fixed_alone;
  }
  // For longer than a trial.
  bool stays_alone() const { return phase_ == Phase::alone || phase_ == Phase::fixed_alone; }
  // What a trial does not change.
  bool settled_alone() const { return phase_ >= Phase::alone; }
  bool tunes() const { return phase_ != Phase::off && phase_ != Phase::fixed_alone; }

  // Asked before a run of a pump: whether it is to be measured, and given to ran().
  bool samples() {
    if (!tunes() || ++since_sample_ < (knows_runs() ? kSampleEveryKnown : kSampleEvery)) return false;
    since_sample_ = 0;
    return true;
  }
  void ran(int64_t took_ns, int64_t computed_ns);

  // A consumer that had to wait was given an element, for the `answers`th time since this was called: how
  // many elements there were in all, and how long consumers have waited in all. Returns true if alone() has
  // changed.
  bool answered(int64_t elements, int64_t waited_ns, int64_t now_ns, int answers = 1);
  // Answers before this time change nothing; they need only be counted.
  int64_t next_look_ns() const;

 private:
  enum class Phase : uint8_t {
    off,
    together,
    // The second window with all threads, after one alone that was better.
    together_again,
    alone_trial,
    // It was better.
    alone,
    // Of what was better alone, a window with all threads.
    together_trial,
    fixed_alone,
  };
  struct Window {
    double rate = 0;
    double waited = 0;
    // Elements come too slowly to be counted.
    bool slow = false;
  };
  static constexpr int kSampleEvery = 8;
  // A thread's processor time takes a system call.
  static constexpr int kSampleEveryKnown = 64;
  static constexpr int kLeastSamples = 16;

  // While all threads run, a change of what runs are like only makes the next trial one too many.
  bool knows_runs() const { return phase_ == Phase::together && sampled_ >= kLeastSamples; }
  bool runs_are_short() const;
  int64_t hopeless_ns() const;
  bool end_window(const Window& window);
  bool end_together(const Window& window);
  bool end_alone(const Window& window);
  bool enter(Phase phase);
  bool rest(Phase phase);
  void compare(double rate, double& usual);

  Phase phase_ = Phase::off;
  int since_sample_ = 0;
  // Of the sampled runs: sums of their lengths, of the squares of these, and of how long they computed.
  double took_ns_ = 0;
  double squares_ = 0;
  double computed_ns_ = 0;
  int sampled_ = 0;

  // Answers in this window, and what it began at; after a change, those that settle it.
  int answers_ = 0;
  bool settling_ = false;
  int64_t length_ns_ = 0;
  int64_t begin_ns_ = -1;
  int64_t begin_elements_ = 0;
  int64_t begin_waited_ns_ = 0;
  // Elements per nanosecond with all threads, and alone.
  double together_ = 0;
  double alone_rate_ = 0;
  double cusum_ = 0;
  int worse_ = 0;
  // Windows until the next trial, and how many the next one that changes nothing costs.
  int pause_ = 0;
  int next_pause_ = 0;
};

}  // namespace weir
