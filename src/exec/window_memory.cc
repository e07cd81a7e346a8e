#include "exec/window_memory.h"

#include <algorithm>

namespace weir {

namespace {

constexpr int64_t kMostReserveBytes = 65536;
// Even thousands of windows keep little of what all may hold.
constexpr int64_t kReserves = 4096;

}  // namespace

WindowMemory::WindowMemory(int64_t limit, MemoryLedger* ledger)
    : limit_(limit),
      ledger_(ledger),
      reserve_bytes_(limited() || !ledger ? 0 : std::min(kMostReserveBytes, ledger->limit() / kReserves)) {}

int64_t WindowMemory::take(int64_t wanted) noexcept {
  int64_t used = used_.load();
  int64_t got = 0;
  do {
    got = std::min(wanted, limit_ - used);
    if (got <= 0) return 0;
  } while (!used_.compare_exchange_weak(used, used + got));
  if (!ledger_) return got;
  const int64_t shared = ledger_->take(got, used);
  if (shared < got) used_.fetch_sub(got - shared);
  return shared;
}

int64_t WindowMemory::reserve(int64_t wanted, Waker& waker) noexcept try {
  if (const int64_t got = take(wanted)) return got;
  waiters_.add(waker);
  if (ledger_) ledger_->waiters.add(waker);
  // A wake that comes in spite of this does no harm.
  return take(wanted);
} catch (...) {
  // Without memory for a place in the line nobody would wake it. A row more is the lesser evil.
  add(1);
  return 1;
}

}  // namespace weir
