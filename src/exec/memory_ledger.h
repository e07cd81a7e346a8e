// MemoryLedger: limits the bytes in the windows of all iterators of a runtime, and shares them fairly.
//
// An iterator may use up to four times the bytes that are free. So one alone has four fifths, two that want
// as much as possible have four ninths each, and a new one always finds room. An iterator above its share
// keeps its bytes, but takes no more until it is below. Bytes that one does not use are free for the others.
//
// MemoryWaiters: the pumps that wait for bytes. A waiter is counted before it checks again, and a release
// looks for waiters afterwards, so that one of them sees the other.
//
// Used on any thread. Taking and releasing cost an atomic addition each, and a lock if a pump waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/pull.h"
#include "core/ref.h"
#include "core/sync.h"

namespace weir {

class MemoryWaiters {
 public:
  // Adds one, once. Throws if there is no memory for it.
  void add(Waker& waker);
  void wake() noexcept {
    if (count_.load() > 0) [[unlikely]]
      wake_all();
  }
  // Forgets one that closes.
  void leave(const Waker& waker) noexcept;

 private:
  void wake_all() noexcept;

  std::atomic<int> count_{0};
  // A leaf, below the locks of windows.
  Mutex mutex_;
  std::vector<RefPtr<Waker>> waiting_;
};

class MemoryLedger : public RefCounted {
 public:
  // REQUIRES: limit >= 1
  explicit MemoryLedger(int64_t limit) : limit_(limit) {}

  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }

  // Takes `wanted` bytes, or as many as an iterator may take that has `own`; 0 if none.
  int64_t take(int64_t wanted, int64_t own) noexcept;
  // More bytes, or fewer if negative, whatever the limit.
  void add(int64_t bytes) noexcept { used_.fetch_add(bytes); }

  MemoryWaiters waiters;

 private:
  const int64_t limit_;
  std::atomic<int64_t> used_{0};
};

}  // namespace weir
