#include "exec/window_memory.h"

#include <algorithm>

namespace weir {

int64_t WindowMemory::take(int64_t wanted) noexcept {
  int64_t used = used_.load();
  for (;;) {
    const int64_t got = std::min(wanted, limit_ - used);
    if (got <= 0) return 0;
    if (used_.compare_exchange_weak(used, used + got)) return got;
  }
}

// Whoever waits is counted before it looks again, and whoever gives back looks for waiters afterwards, so that one of them
// sees the other.
int64_t WindowMemory::reserve(int64_t wanted, Waker& waker) noexcept try {
  if (const int64_t got = take(wanted)) return got;
  MutexLock lock(mutex_);
  const auto found = std::find_if(waiters_.begin(), waiters_.end(),
                                  [&](const RefPtr<Waker>& one) { return one.get() == &waker; });
  if (found == waiters_.end()) {
    waiters_.emplace_back(&waker);
    waiting_.fetch_add(1);
  }
  // A wake that comes in spite of this does no harm.
  return take(wanted);
} catch (...) {
  // Without memory for a place in the line nobody would wake it. A row more is the lesser evil.
  used_.fetch_add(1);
  return 1;
}

void WindowMemory::wake_all() noexcept {
  std::vector<RefPtr<Waker>> woken;
  {
    MutexLock lock(mutex_);
    woken.swap(waiters_);
    waiting_.store(0);
  }
  for (const RefPtr<Waker>& waker : woken) waker->wake();
}

void WindowMemory::leave(const Waker& waker) noexcept {
  RefPtr<Waker> gone;
  MutexLock lock(mutex_);
  const auto found = std::find_if(waiters_.begin(), waiters_.end(),
                                  [&](const RefPtr<Waker>& one) { return one.get() == &waker; });
  if (found == waiters_.end()) return;
  gone = std::move(*found);
  waiters_.erase(found);
  waiting_.fetch_sub(1);
  lock.unlock();
}

}  // namespace weir
