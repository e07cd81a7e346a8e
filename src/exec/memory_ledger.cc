#include "exec/memory_ledger.h"

#include <algorithm>

namespace weir {

namespace {

// How many times what is free one iterator may have.
constexpr int64_t kTimesFree = 4;

auto place_of(std::vector<RefPtr<Waker>>& waiting, const Waker& waker) {
  return std::find_if(waiting.begin(), waiting.end(),
                      [&](const RefPtr<Waker>& one) { return one.get() == &waker; });
}

}  // namespace

void MemoryWaiters::add(Waker& waker) {
  MutexLock lock(mutex_);
  if (place_of(waiting_, waker) != waiting_.end()) return;
  waiting_.emplace_back(&waker);
  count_.fetch_add(1);
}

void MemoryWaiters::wake_all() noexcept {
  std::vector<RefPtr<Waker>> woken;
  {
    MutexLock lock(mutex_);
    woken.swap(waiting_);
    count_.store(0);
  }
  for (const RefPtr<Waker>& waker : woken) waker->wake();
}

void MemoryWaiters::leave(const Waker& waker) noexcept {
  RefPtr<Waker> gone;
  MutexLock lock(mutex_);
  const auto found = place_of(waiting_, waker);
  if (found == waiting_.end()) return;
  gone = std::move(*found);
  waiting_.erase(found);
  count_.fetch_sub(1);
  lock.unlock();
}

int64_t MemoryLedger::take(int64_t wanted, int64_t own) noexcept {
  int64_t used = used_.load();
  for (;;) {
    const int64_t free = limit_ - used;
    // As much as leaves it with so many times what is free afterwards.
    const auto room = static_cast<int64_t>(
        (static_cast<double>(kTimesFree) * static_cast<double>(free) - static_cast<double>(own)) /
        (kTimesFree + 1));
    const int64_t got = std::min({wanted, room, free});
    if (got <= 0) return 0;
    if (used_.compare_exchange_weak(used, used + got)) return got;
  }
}

}  // namespace weir
