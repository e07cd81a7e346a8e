// Pace: how far ahead an iterator runs, found by measuring. Three decisions and one probe:
//
//   Pace       of an iterator: whether threads make its elements ahead, or its consumer makes each inline.
//   CallPace   of a window of calls, or of the feeds of an interleave: how many are in flight.
//   RowPace    of a window of rows: how many it holds.
//   FeedCost   of a window whose number is given: whether its rows are worth a thread.
//   WaitProbe  whether pieces of work wait or compute.
//
// What each rule gains is in docs/tuning.md. None changes an element, their order or a position. Not
// thread-safe: the owner's lock guards each, but for RowPace::rows() and FeedCost.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/stage_stats.h"

namespace weir {

// Measures the first pieces of work and one in 16 of the others. What came before the last ones counts less
// and less.
class WaitProbe {
 public:
  // Asked before a piece of work: for how many it stands if it is to be watched (exec/call_watch.h), else 0.
  // `first`: of its kind, such as the pull that opens a file.
  int stands_for(bool first = false) {
    if (first || begun_ < kFirst) {
      ++begun_;
      return 1;
    }
    if (++since_last_ < kEvery) return 0;
    since_last_ = 0;
    return kEvery;
  }
  void add(int stands_for, int64_t took_ns, int64_t computed_ns);
  // Most of the time is spent waiting, and more than 0.1 ms each. False until enough is known.
  bool waits() const { return waits_; }

 private:
  static constexpr int kFirst = 4;
  static constexpr int kEvery = 16;

  int begun_ = 0;
  int since_last_ = 0;
  int added_ = 0;
  bool waits_ = false;
  int64_t pieces_ = 0;
  int64_t took_ns_ = 0;
  int64_t waited_ns_ = 0;
};

// REQUIRES: 1 <= first <= most, which is never exceeded
struct CallRange {
  int first = 1;
  int most = 1;
};

// Measures rows per second. While the consumer waits for rows and the feed has them, the calls bound that
// rate, and it tries twice as many; they stay if there are a tenth more rows. At first, one call in each is
// enough for a trial; after one that failed, four are. Further failures put the next trial off for longer and
// longer, up to 16 periods.
class CallPace {
 public:
  explicit CallPace(CallRange range) : most_(range.most), limit_(range.first), fixed_(limit_ == most_) {}

  // How many calls may be in flight now.
  int limit() const { return limit_; }
  bool fixed() const { return fixed_; }

  // A call of `rows` rows has ended. Returns true if limit() is higher than before.
  bool done(int64_t rows, int64_t now_ns);
  // The consumer found no row.
  void starved() { starved_ = true; }
  // The feed had no row although a call could have begun.
  void hungry() { hungry_ = true; }
  // The calls of another window follow, for the same function: what was counted of an unfinished period stays
  // only if there was no pause.
  void go_on(bool paused) {
    if (paused) begin_ns_ = -1;
  }
  // From here on `calls` or more are in flight, and up to `most` are worth a trial.
  void widen(int calls, int most);

 private:
  void begin(int64_t now_ns);
  bool end_period(double rate);

  int most_;
  int limit_;
  bool fixed_;
  // No trial has failed yet.
  bool quick_ = true;
  // limit_ is a trial; before it there were so many calls, and such a rate.
  bool tries_ = false;
  int kept_ = 1;
  double rate_ = 0;
  // After a change, until the calls that began before it have ended.
  bool settling_ = false;
  int64_t begin_ns_ = -1;
  int64_t calls_ = 0;
  int64_t rows_ = 0;
  bool starved_ = false;
  bool hungry_ = false;
  // Periods until the next trial, and after the next failure.
  int pause_ = 0;
  int next_pause_ = 1;
};

// When the consumer finds no row although the window was full before, the feed has stalled for longer than
// the rows last. The window then grows by the rows that the consumer, at its former rate, would have taken
// until the next one came. It grows only if the full window had stopped the feed for long enough to make that
// many; otherwise the feed is slower than the consumer, and no window helps.
class RowPace {
 public:
  // Between `first` and `most` rows; the number stays if both are the same.
  // REQUIRES: 1 <= first <= most
  // `begin`: the number to begin with, if it is positive.
  RowPace(int64_t first, int64_t most, int64_t begin = 0)
      : most_(most), fixed_(first == most), rows_(begin > 0 ? std::clamp(begin, first, most) : first) {}

  int64_t rows() const { return rows_.load(std::memory_order_relaxed); }
  bool fixed() const { return fixed_; }

  // The consumer found nothing, after `taken` rows in all. `was_full`: there was no room at some time since
  // the last time that it found nothing, for `full_ns` in all.
  void found_empty(int64_t taken, bool was_full, int64_t full_ns, int64_t now_ns);
  // There are rows again. Returns true if rows() has risen.
  bool has_rows(int64_t now_ns);

 private:
  const int64_t most_;
  const bool fixed_;
  Counter rows_;
  // When the consumer last had rows, and how many it had taken by then; negative: never.
  int64_t refilled_ns_ = -1;
  int64_t refilled_taken_ = 0;
  // Rows per nanosecond while it had rows.
  double rate_ = 0;
  // 0: it has rows.
  int64_t empty_since_ns_ = 0;
  int64_t empty_taken_ = 0;
  bool grows_ = false;
  int64_t full_ns_ = 0;
};

// Whether a window's rows take less time than handing them over to another thread, so that its consumer does
// better to pull them itself when it finds none. Waking a thread takes microseconds of the one that wakes and
// of the one that is woken; a window that holds few cheap rows would spend nearly all its time with that. The
// estimate is near the median of the pulls, so that one during which the thread was not running counts
// little. It goes on being measured. The thread that pulls measures, the consumer asks, neither with a lock.
class FeedCost {
 public:
  // What half a window's rows may take.
  static constexpr int64_t kHandOverNs = 2000;
  // A pull that takes longer counts twice.
  static constexpr int64_t kLongPullNs = 2 * kHandOverNs;
  // Pulls before anything is concluded.
  static constexpr int64_t kLeastPulls = 64;

  // A pull of many rows counts as `pulls` small ones, so that the estimate adapts as fast. A pull without
  // measurable time is ignored.
  void pulled(int64_t ns, int64_t rows, int64_t pulls) noexcept {
    if (ns <= 0 || rows <= 0) return;
    const int64_t found = std::min(ns, kMostNs) * kParts / rows;
    int64_t last = parts_.load(std::memory_order_relaxed);
    if (ns > kLongPullNs) pulls *= 2;
    for (int64_t i = 0; i < pulls && last != found; ++i) {
      const int64_t step = last / 8 + 1;
      last = found > last ? std::min(found, last + step) : std::max(found, last - step);
    }
    parts_.store(last, std::memory_order_relaxed);
    add_alone(pulls_, pulls);
  }
  // Whether half of `rows` rows are made sooner than another thread is woken.
  bool cheap(int64_t rows) const noexcept {
    return pulls_.load(std::memory_order_relaxed) >= kLeastPulls &&
           parts_.load(std::memory_order_relaxed) <= kHandOverNs * kParts / std::max<int64_t>(1, rows / 2);
  }

 private:
  // Parts of a nanosecond.
  static constexpr int64_t kParts = 256;
  static constexpr int64_t kMostNs = int64_t{1} << 40;

  Counter parts_{0};
  Counter pulls_{0};
};

// Passing an element to another thread moves it from one processor's cache to the other's and wakes that
// thread. If the work is short, that costs more than a second processor gains. So an iterator begins inline,
// compares its rate with that with threads and with its own once more, and keeps what is a twentieth better.
// It compares again after 50 ms, and ever later up to 3 s, as loads change. Work that waits, and elements
// that take milliseconds, get threads at once: there is little to lose, and much to gain.
class Pace {
 public:
  // Nothing is tried before this. `alone`: how it begins; it stays so if `fixed`. `known`: so it was found
  // before.
  void start(bool alone, bool known, bool fixed, int64_t now_ns);
  // Threads are used from now on, and nothing is tried.
  void stop();
  // It is said that work waits: so it begins with threads. Returns true if alone() has changed.
  bool expect_waiting(int64_t now_ns) {
    return phase_ == Phase::before && alone_ && rest(false, true, now_ns);
  }

  // Only threads that wait for elements make them.
  bool alone() const { return alone_; }
  // What a comparison under way does not change.
  bool settled_alone() const { return phase_ == Phase::trial ? !alone_ : alone_; }
  bool tunes() const { return phase_ > Phase::fixed; }
  // It counts elements: answered() is to be called.
  bool compares() const { return phase_ > Phase::rests; }

  // Asked before a run of a pump: whether it is to be measured, and given to ran().
  bool samples() { return tunes() && probe_.stands_for() > 0; }
  // Both return true if alone() has changed.
  bool ran(int64_t took_ns, int64_t computed_ns, int64_t now_ns);
  // The consumer was given an element; there were so many in all.
  bool answered(int64_t elements, int64_t now_ns);

 private:
  // In a comparison: the setting that is compared, the other one, and the first again.
  enum class Phase : uint8_t { off, fixed, rests, before, trial, again };

  void begin(int64_t now_ns, int64_t elements);
  bool take_turn(Phase phase, int64_t now_ns);
  bool end_turn(double rate, bool slow, int64_t now_ns);
  bool rest(bool alone, bool changes, int64_t now_ns);

  Phase phase_ = Phase::off;
  bool alone_ = false;
  WaitProbe probe_;
  // The turn under way: when it began, with so many elements given in all, and how many were given since. The
  // first one that is given begins it anew, and, after a change, another one.
  bool settling_ = false;
  int64_t begin_ns_ = 0;
  int64_t begin_elements_ = 0;
  int64_t elements_ = 0;
  // Elements per nanosecond with each setting, in this comparison.
  double rate_ = 0;
  double other_rate_ = 0;
  int64_t next_ns_ = 0;
  int64_t pause_ns_ = 0;
};

}  // namespace weir
