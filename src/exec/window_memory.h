// WindowMemory: how many bytes the windows of one iterator may hold together, as options(memory: …) says, and
// as its share of the runtime's MemoryLedger.
//
// A window reserves before it pulls, so that all of them never hold more, but for one row of each: a window
// that holds nothing may pull all the same, else the row that the consumer waits for might wait for rows that
// come after it. One that gets nothing stops, and is woken when another gives bytes back.
//
// Used on any thread. Reserving and giving back cost two atomic additions each, and a lock where somebody
// waits.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/ref.h"
#include "exec/memory_ledger.h"

namespace weir {

class WindowMemory : public RefCounted {
 public:
  static constexpr int64_t kUnlimited = INT64_MAX;

  // `ledger` may be null.
  // REQUIRES: limit >= 1
  explicit WindowMemory(int64_t limit, MemoryLedger* ledger = nullptr);

  // Of this iterator alone, rather than of all.
  bool limited() const { return limit_ < kUnlimited; }
  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  // How many bytes a window may have in reserve, so that it comes here rarely.
  int64_t reserve_bytes() const { return reserve_bytes_; }

  // Takes `wanted` bytes, or as many as are free. Returns 0 if there are none: `waker` is woken when there
  // are.
  // REQUIRES: wanted >= 1
  int64_t reserve(int64_t wanted, Waker& waker) noexcept;
  // More bytes, or fewer if negative. Where they are fewer, wake_waiters() must follow, without a lock.
  void add(int64_t bytes) noexcept {
    used_.fetch_add(bytes);
    if (ledger_) ledger_->add(bytes);
  }
  void wake_waiters() noexcept {
    waiters_.wake();
    if (ledger_) ledger_->waiters.wake();
  }
  // Forgets one that closes.
  void leave(const Waker& waker) noexcept {
    waiters_.leave(waker);
    if (ledger_) ledger_->waiters.leave(waker);
  }

 private:
  int64_t take(int64_t wanted) noexcept;

  const int64_t limit_;
  const RefPtr<MemoryLedger> ledger_;
  const int64_t reserve_bytes_;
  std::atomic<int64_t> used_{0};
  MemoryWaiters waiters_;
};

}  // namespace weir
