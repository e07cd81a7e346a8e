// FeedCost: whether a feed's rows take less time than handing them over to another thread, so that a Window's
// consumer does better to pull them itself.
//
// Waking a thread takes microseconds of the one that wakes and of the one that is woken. A window that holds
// few cheap rows would spend nearly all time with that. So where half of its rows take less than kHandOverNs,
// its consumer pulls as many as fit when it finds none, on its own thread. The estimate is near the median of
// the pulls, so that one during which the thread was not running counts little; feeds that may wait for a
// device run in another lane and are never pulled so. It goes on being measured, and the pump is woken again
// once rows take longer.
//
// The running thread measures, the consumer asks; it changes no row, no order and no position.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/stage_stats.h"

namespace weir {

class FeedCost {
 public:
  // What half a window's rows may take.
  static constexpr int64_t kHandOverNs = 2000;
  // How long a consumer pulls at once.
  static constexpr int64_t kPullingNs = 2 * kHandOverNs;
  // Pulls before anything is concluded.
  static constexpr int64_t kLeastPulls = 64;

  // A pull of many rows counts as `pulls` small ones, so that the estimate adapts as fast; twice if it took
  // longer than a consumer pulls. A pull without measurable time is ignored.
  void pulled(int64_t ns, int64_t rows, int64_t pulls) noexcept {
    if (ns <= 0 || rows <= 0) return;
    const int64_t found = std::min(ns, kMostNs) * kParts / rows;
    int64_t last = parts_.load(std::memory_order_relaxed);
    if (ns > kPullingNs) pulls *= 2;
    for (int64_t i = 0; i < pulls && last != found; ++i) {
      const int64_t step = last / 8 + 1;
      last = found > last ? std::min(found, last + step) : std::max(found, last - step);
    }
    parts_.store(last, std::memory_order_relaxed);
    add_alone(pulls_, pulls);
  }
  // Whether half of `rows` rows are made sooner than another thread is woken.
  bool cheap(int64_t rows) const noexcept {
    return pulls_.load(std::memory_order_relaxed) >= kLeastPulls &&
           parts_.load(std::memory_order_relaxed) <= kHandOverNs * kParts / std::max<int64_t>(1, rows / 2);
  }

 private:
  // Parts of a nanosecond.
  static constexpr int64_t kParts = 256;
  static constexpr int64_t kMostNs = int64_t{1} << 40;

  Counter parts_{0};
  Counter pulls_{0};
};

}  // namespace weir
