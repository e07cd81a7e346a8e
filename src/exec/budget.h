// Budget: the rows and bytes in a window, and whether its filling side has stopped for want of room.
//
// The filling side charges the rows that it adds and stops when there is no room; the consumer refunds the
// rows that it takes. A stopped filler resumes as soon as there is room for a row, so that the window stays
// as full as allowed, or for more where its owner says so. One row is always admitted, so that a row larger
// than all of the room passes.
//
// All methods require the window's lock except take_rows(), which the consumer calls without it. take_rows()
// first raises the count of rows taken and then checks whether the filler stopped; the filler first says that
// it stops and then checks the count again, so that one of them sees the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "core/pull.h"
#include "core/ref.h"
#include "core/stage_stats.h"
#include "exec/window_memory.h"

namespace weir {

class Budget {
 public:
  // `memory`: of all windows of the iterator; may be null.
  explicit Budget(int64_t max_bytes, RefPtr<WindowMemory> memory = nullptr)
      : max_bytes_(max_bytes), memory_(std::move(memory)) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  ~Budget() {
    drop();
    if (WindowMemory* memory = take_freed()) memory->wake_waiters();
  }

  // These two may also be read without the lock, to show them.
  int64_t held_rows() const { return charged_rows_.load(std::memory_order_relaxed) - taken_rows_.load(); }
  int64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }
  int64_t taken_rows() const { return taken_rows_.load(std::memory_order_relaxed); }
  // True if less is held than `max_rows` rows and `max_bytes` of the room in bytes, or nothing.
  bool has_room(int64_t max_rows, int64_t max_bytes = INT64_MAX) const {
    const int64_t rows = held_rows();
    return rows <= 0 || (rows < max_rows && held_bytes() < std::min(max_bytes, max_bytes_));
  }
  void charge(int64_t rows, int64_t bytes) {
    add_alone(charged_rows_, rows);
    add_alone(held_bytes_, bytes);
    reserved_bytes_ = 0;
    settle();
  }
  void refund_bytes(int64_t bytes) {
    add_alone(held_bytes_, -bytes);
    settle();
  }

  // How many bytes the next pull may bring: `most`, or as much as there is of `wanted` in shared memory; 0:
  // none, and `waker` is woken when it may. A pull that brings nothing leaves them to the next.
  // REQUIRES: go_on() was true
  int64_t reserve(int64_t most, int64_t wanted, Waker& waker) noexcept {
    if (!memory_) return most;
    if (reserved_bytes_ == 0) {
      const int64_t missing = wanted - (taken_bytes_ - held_bytes());
      const int64_t more = missing > 0 ? memory_->reserve(missing + memory_->reserve_bytes(), waker) : 0;
      taken_bytes_ += more;
      // Of a reserve alone no row is made, else one that has more than its share would never have less.
      if (more > 0 || missing <= 0)
        reserved_bytes_ = std::clamp<int64_t>(taken_bytes_ - held_bytes(), 0, wanted);
    }
    return reserved_bytes_ == 0 && held_rows() <= 0 ? 1 : reserved_bytes_;
  }
  // Everything that is held is gone.
  void drop() noexcept {
    held_bytes_.store(0, std::memory_order_relaxed);
    reserved_bytes_ = 0;
    add_shared(-taken_bytes_);
  }
  // options() says how much the windows of the iterator may hold.
  bool limits_memory() const { return memory_ && memory_->limited(); }
  // The shared memory if bytes were given back since the last call, else null: its waiters are woken without
  // the lock.
  WindowMemory* take_freed() noexcept { return std::exchange(freed_, false) ? memory_.get() : nullptr; }
  void leave(const Waker& waker) noexcept {
    if (memory_) memory_->leave(waker);
  }
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
  void stop() noexcept {
    return_reserved();
    stopped_.store(true);
  }
  // There will be no other pull, so nobody has to resume.
  void end() noexcept {
    return_reserved();
    stopped_.store(false, std::memory_order_relaxed);
  }
  // Returns true, once after each stop, if there is room again. The caller must then wake the filler. One
  // that has not begun counts as stopped.
  bool may_resume(int64_t max_rows, int64_t max_bytes = INT64_MAX) {
    if (!stopped_.load(std::memory_order_relaxed) || !has_room(max_rows, max_bytes)) return false;
    stopped_.store(false, std::memory_order_relaxed);
    return true;
  }

  // Whether there was no room at some time since the last call: a consumer that finds nothing asks.
  bool take_full() { return std::exchange(was_full_, false); }

 private:
  void return_reserved() noexcept {
    reserved_bytes_ = 0;
    settle();
  }
  // Takes what is held or reserved beyond what was taken, and gives back what is more than a reserve.
  void settle() noexcept {
    if (!memory_) return;
    const int64_t needed = held_bytes() + reserved_bytes_;
    const int64_t reserve = memory_->reserve_bytes();
    int64_t change = 0;
    if (needed > taken_bytes_) change = needed - taken_bytes_;
    if (taken_bytes_ - needed > 2 * reserve) change = needed + reserve - taken_bytes_;
    add_shared(change);
  }
  void add_shared(int64_t bytes) noexcept {
    if (!memory_ || bytes == 0) return;
    taken_bytes_ += bytes;
    memory_->add(bytes);
    freed_ = freed_ || bytes < 0;
  }

  const int64_t max_bytes_;
  const RefPtr<WindowMemory> memory_;
  // What the next pull may bring.
  int64_t reserved_bytes_ = 0;
  // What this window has of the memory that it shares.
  int64_t taken_bytes_ = 0;
  bool freed_ = false;
  bool was_full_ = false;
  Counter charged_rows_{0};
  std::atomic<int64_t> taken_rows_{0};
  Counter held_bytes_{0};
  std::atomic<bool> stopped_{true};
};

}  // namespace weir
