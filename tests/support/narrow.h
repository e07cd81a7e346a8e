// narrow(rows, bytes): hands its input on and asks it for no more than that at once, whatever it is asked
// for, so that a test can set the bounds of a block where it needs them. Counts the largest block that came
// back. Threads: any number of cursors; counters are atomic.
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

// Adds the operator to the list; any number of times.
void register_narrow();

}  // namespace weir
