// WindowMemory: how many bytes the windows of one iterator may hold together.
//
// A window reserves before it pulls, so that all of them never hold more, but for one row of each: a window that holds
// nothing may pull all the same, else the row that the consumer waits for might wait for rows that come after it. One that
// gets nothing stops, and is woken when another gives bytes back.
//
// Used on any thread. Reserving and giving back cost an atomic addition each, and a lock where somebody waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/pull.h"
#include "core/ref.h"
#include "core/sync.h"

namespace weir {

class WindowMemory : public RefCounted {
 public:
  // REQUIRES: limit >= 1
  explicit WindowMemory(int64_t limit) : limit_(limit) {}

  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }

  // Takes `wanted` bytes, or as many as are free. Returns 0 if there are none: `waker` is woken when there are.
  // REQUIRES: wanted >= 1
  int64_t reserve(int64_t wanted, Waker& waker) noexcept;
  // More bytes, or fewer if negative. Where they are fewer, wake_waiters() must follow, without a lock.
  void add(int64_t bytes) noexcept { used_.fetch_add(bytes); }
  void wake_waiters() noexcept {
    if (waiting_.load() > 0) [[unlikely]]
      wake_all();
  }
  // Forgets one that closes.
  void leave(const Waker& waker) noexcept;

 private:
  int64_t take(int64_t wanted) noexcept;
  void wake_all() noexcept;

  const int64_t limit_;
  std::atomic<int64_t> used_{0};
  std::atomic<int> waiting_{0};
  // A leaf, below the locks of windows.
  Mutex mutex_;
  std::vector<RefPtr<Waker>> waiters_;
};

}  // namespace weir
