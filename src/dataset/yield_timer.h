// YieldTimer: how long a cursor may work without a row before it must let others have the thread.
//
// An operator that drops rows (filter, skip, ignore_errors) asks after each block. After about a millisecond
// it must return pending, with its own waker already woken, so that cancellation and other pumps get a turn.
// The clock is read every 256 rows at most, and more often where they take long.
#pragma once

#include <algorithm>

#include "core/pull.h"
#include "core/runtime.h"

namespace weir {

class YieldTimer {
 public:
  // Counts rows that gave no result. If true, the waker has been woken: return PullResult::pending now.
  bool should_yield(Context& ctx, int rows) {
    rows_ += rows;
    if (rows_ < every_) return false;
    rows_ = 0;
    const int64_t now_ns = ctx.runtime().clock->now_ns();
    const int64_t took_ns = read_ns_ == 0 ? 0 : now_ns - read_ns_;
    every_ = took_ns > kNanoseconds / 4 ? std::max(every_ / 4, 1) : std::min(every_ * 2, kRows);
    read_ns_ = now_ns;
    if (since_ns_ == 0) since_ns_ = now_ns;
    if (now_ns - since_ns_ < kNanoseconds) return false;
    since_ns_ = read_ns_ = 0;
    ctx.waker->wake();
    return true;
  }
  // A row came.
  void reset() {
    rows_ = 0;
    since_ns_ = read_ns_ = 0;
  }

 private:
  static constexpr int kRows = 256;
  static constexpr int64_t kNanoseconds = 1'000'000;
  // Rows since the clock was read, and how many to count until it is read again.
  int rows_ = 0;
  int every_ = 16;
  // When counting began, and when the clock was read.
  int64_t since_ns_ = 0;
  int64_t read_ns_ = 0;
};

}  // namespace weir
