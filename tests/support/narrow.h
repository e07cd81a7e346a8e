// narrow(rows, bytes): passes its input on, but never asks it for more than that at once, so that a test can
// set the bounds of a block where it needs them. Counts the largest block that came back. Any number of
// cursors may use it; counters are atomic.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

struct NarrowCounters {
  std::atomic<int> most_rows{0};
  // Of blocks of more than one row.
  std::atomic<int64_t> most_bytes{0};
  void reset() {
    most_rows = 0;
    most_bytes = 0;
  }
};
NarrowCounters& narrow_counters();

// Adds the operator to the list. May be called any number of times.
void register_narrow();

}  // namespace weir
