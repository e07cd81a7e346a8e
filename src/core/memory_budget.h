// MemoryBudget: limits the bytes of rows in shuffles, caches and windows. HeldBytes: the share of one of
// them.
//
//   HeldBytes held(runtime.budget);                    // null: no limit
//   if (!held.set(store.byte_size())) return held.exceeded();
//
// An operator asks before it takes more rows, so the budget is exceeded by at most a block. Any number of
// threads may use a budget, one at a time a HeldBytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/ref.h"
#include "core/status.h"

namespace weir {

class MemoryBudget : public RefCounted {
 public:
  explicit MemoryBudget(int64_t limit) : limit_(limit) {}
  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  // Adds to what is used; false if that is more than the limit.
  bool add(int64_t bytes) noexcept {
    return used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_;
  }

 private:
  const int64_t limit_;
  std::atomic<int64_t> used_{0};
};

class HeldBytes {
 public:
  explicit HeldBytes(RefPtr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  ~HeldBytes() {
    if (budget_) budget_->add(-held_);
  }

  // Holds that many from now on; false if all holders together have more than the limit.
  bool set(int64_t bytes) noexcept {
    if (!budget_) return true;
    const int64_t more = bytes - std::exchange(held_, bytes);
    return budget_->add(more);
  }
  // Why set() answered false: an error of an element that there was no memory for.
  // REQUIRES: it did
  Status exceeded() const;

 private:
  const RefPtr<MemoryBudget> budget_;
  int64_t held_ = 0;
};

}  // namespace weir
