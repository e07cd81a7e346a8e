// Budget: how much a window holds, who waits for room in it or for its rows, and how its sequence ended.
//
// The filling side charges what it adds and stops when there is no room; the consumer refunds what it took. A
// stopped filler resumes as soon as there is room for a row, so that as many rows as allowed are ahead of the
// consumer. One row is always admitted, so that a row larger than all of the room passes.
//
// A window may begin with little room and multiply it by scale(), which doubles when the consumer finds nothing
// after the room was full. A window that rests, or whose consumer is slower than it, then holds little.
//
// All methods require the window's lock except take_rows(), which the consumer calls without it. take_rows()
// first raises the count of rows taken and then checks whether the filler stopped; the filler first says that
// it stops and then checks the count again, so that one of them sees the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/epochs.h"
#include "core/pull.h"
#include "core/ref.h"
#include "core/stage_stats.h"

namespace weir {

class Budget {
 public:
  // scale() doubles at most `doublings` times.
  Budget(int64_t max_bytes, int doublings) : max_bytes_(max_bytes), doublings_left_(doublings) {}

  // These three may also be read without the lock, to show them.
  int64_t held_rows() const { return charged_rows_.load(std::memory_order_relaxed) - taken_rows_.load(); }
  int64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }
  int64_t scale() const { return int64_t{1} << doublings_.load(std::memory_order_relaxed); }
  // True if less is held than `max_rows` rows and the room in bytes, or nothing.
  bool has_room(int64_t max_rows) const {
    const int64_t rows = held_rows();
    return rows <= 0 || (rows < max_rows && held_bytes() < max_bytes_);
  }
  void charge(int64_t rows, int64_t bytes) {
    add_alone(charged_rows_, rows);
    add_alone(held_bytes_, bytes);
  }
  void refund_bytes(int64_t bytes) { add_alone(held_bytes_, -bytes); }
  // Returns true if the filler has stopped, so that may_resume() is worth the lock.
  bool take_rows(int64_t rows) {
    taken_rows_.fetch_add(rows);
    return stopped_.load();
  }

  // Stops the filler unless there is room; returns false if it stopped.
  bool go_on(int64_t max_rows) {
    if (!has_room(max_rows)) {
      was_full_ = true;
      stopped_.store(true);
      // Rows may have been taken meanwhile.
      if (!has_room(max_rows)) return false;
    }
    stopped_.store(false, std::memory_order_relaxed);
    return true;
  }
  void stop() { stopped_.store(true); }
  // Returns true, once after each stop, if there is room again. The caller must then wake the filler. One that has not
  // begun counts as stopped.
  bool may_resume(int64_t max_rows) {
    if (!stopped_.load(std::memory_order_relaxed) || !has_room(max_rows)) return false;
    stopped_.store(false, std::memory_order_relaxed);
    return true;
  }

  // The answer for a consumer that finds no row: pending if `more` may come, which also stores `waker`. The
  // waker stored before goes to `old`, to be released without the lock.
  PullResult wait(bool more, Waker* waker, RefPtr<Waker>& old) {
    if (!more) return final_;
    if (was_full_ && doublings_left_ > 0) {
      --doublings_left_;
      add_alone(doublings_, 1);
    }
    was_full_ = false;
    if (waiter_.get() != waker) old = std::exchange(waiter_, RefPtr<Waker>(waker));
    return PullResult::pending;
  }
  // The waker to wake without the lock.
  RefPtr<Waker> take_waiter() { return std::move(waiter_); }

  // Stores the final answer, end or cancelled, and returns the waiter, to be woken without the lock.
  RefPtr<Waker> finish(PullResult answer, EpochTableRef epochs) {
    if (final_ != PullResult::cancelled) final_ = answer;
    final_epochs_ = std::move(epochs);
    stopped_.store(false, std::memory_order_relaxed);
    return take_waiter();
  }
  // PullResult::rows while the feed goes on.
  PullResult final_answer() const { return final_; }
  const EpochTableRef& final_epochs() const { return final_epochs_; }

 private:
  const int64_t max_bytes_;
  Counter doublings_{0};
  int doublings_left_;
  // Whether the room was full since the consumer last found nothing.
  bool was_full_ = false;
  Counter charged_rows_{0};
  std::atomic<int64_t> taken_rows_{0};
  Counter held_bytes_{0};
  std::atomic<bool> stopped_{true};
  PullResult final_ = PullResult::rows;
  EpochTableRef final_epochs_;
  RefPtr<Waker> waiter_;
};

}  // namespace weir
