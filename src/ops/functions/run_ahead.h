// run_ahead: a node over the dataset of a slot that runs ahead on its own Window, as those of a parallel
// interleave do. A Credit limits how many of the nodes that share it are pulled at once, so a thousand slots
// take no more threads than a few. Its saved position fits the same node without a credit, which runs nothing
// ahead.
#pragma once

#include <cstdint>
#include <utility>

#include "core/clock.h"
#include "dataset/dataset.h"
#include "exec/credit.h"
#include "exec/window.h"

namespace weir {

// What the slots of one operator share.
struct AheadSlots {
  // Null: nothing runs ahead.
  RefPtr<Credit> credit;
  WindowOptions window;
};

// Windows that may hold what `most` says, and no more than the context: each begins with `first_rows`, and
// grows to what its turns take while it stalls.
AheadSlots ahead_slots(const Context& ctx, RefPtr<Credit> credit, const RunsAhead& most, int64_t first_rows);

Result<DatasetRef> run_ahead(DatasetRef dataset, const AheadSlots& slots);

// Whether datasets of which several are open at once are open for less time than a Window is worth, so that
// they need none while the consumer makes all rows.
class BriefOpenings {
 public:
  bool brief() const { return brief_; }
  // One more has opened, of `at_once`.
  void opened(Clock& clock, int64_t at_once) {
    if (++opened_ % at_once != 0) return;
    const int64_t now_ns = clock.now_ns();
    brief_ = now_ns - std::exchange(began_ns_, now_ns) < kBriefNs;
  }

 private:
  static constexpr int64_t kBriefNs = 1'000'000;
  int64_t opened_ = 0;
  int64_t began_ns_ = -kBriefNs;
  bool brief_ = false;
};

}  // namespace weir
