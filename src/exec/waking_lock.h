// WakingLock: a lock, and the wakes that were decided while it was held. They come after its release, so a
// waker may take any lock, and a woken thread does not run into this one.
//
//   WakingLock lock(mutex_);
//   lock.wake(std::move(waiter_));
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "core/pull.h"
#include "core/sync.h"
#include "exec/budget.h"

namespace weir {

class WakingLock {
 public:
  // More wakes than that in one critical section are not supported.
  static constexpr size_t kMost = 4;

  // `budget`: if it gives bytes back while the lock is held, those that wait for them are woken, too. May be
  // null.
  explicit WakingLock(Mutex& mutex, Budget* budget = nullptr) : mutex_(mutex), budget_(budget) { lock(); }
  WakingLock(const WakingLock&) = delete;
  WakingLock& operator=(const WakingLock&) = delete;
  ~WakingLock() {
    if (held_) unlock();
  }

  // Null wakes nobody.
  // REQUIRES: the lock is held, and fewer than kMost were added
  void wake(RefPtr<Waker> waker) {
    if (waker) wakers_[count_++] = std::move(waker);
  }
  // Releases a reference after the lock, since what it refers to may go with it.
  // REQUIRES: called once
  void drop(RefPtr<Waker> waker) { dropped_ = std::move(waker); }
  // Once more, after unlock().
  void lock() {
    mutex_.lock();
    held_ = true;
  }
  // Releases the lock and wakes.
  void unlock() {
    held_ = false;
    WindowMemory* const freed = budget_ ? budget_->take_freed() : nullptr;
    mutex_.unlock();
    for (size_t i = 0; i < count_; ++i) std::exchange(wakers_[i], nullptr)->wake();
    count_ = 0;
    if (freed) [[unlikely]]
      freed->wake_waiters();
  }

 private:
  Mutex& mutex_;
  Budget* const budget_;
  bool held_ = false;
  size_t count_ = 0;
  std::array<RefPtr<Waker>, kMost> wakers_;
  RefPtr<Waker> dropped_;
};

}  // namespace weir
