// WindowWaits: how long a Window's consumer found it empty, and how long it was full.
//
// Used under the Window's lock, except name(). The clock is read only where one of the two begins or ends.
#pragma once

#include "core/runtime.h"
#include "core/stage_stats.h"

namespace weir {

struct WindowWaits {
  // Null: nothing is counted. Set before the Window is used.
  StageStats* stats = nullptr;
  int64_t empty_since_ns = 0;
  int64_t full_since_ns = 0;

  const char* name() const { return stats ? stats->operator_name : "window"; }

  void found_empty(Clock& clock) {
    if (stats && empty_since_ns == 0) empty_since_ns = clock.now_ns();
  }
  void has_rows(Clock& clock) {
    if (empty_since_ns == 0) return;
    add_to(stats->waited_for_input_ns, clock.now_ns() - empty_since_ns);
    empty_since_ns = 0;
  }
  void is_full(Clock& clock) {
    if (stats && full_since_ns == 0) full_since_ns = clock.now_ns();
  }
  void has_room(Clock& clock) {
    if (full_since_ns == 0) [[likely]]
      return;
    add_to(stats->waited_for_consumer_ns, clock.now_ns() - full_since_ns);
    full_since_ns = 0;
  }
};

}  // namespace weir
