// run_ahead: a node over the dataset of a slot that runs ahead on its own Window, as those of a parallel
// interleave do. A Credit limits how many of the nodes that share it are pulled at once, so a thousand slots
// take no more threads than a few. Its saved position fits the same node without a credit, which runs nothing
// ahead.
#pragma once

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

}  // namespace weir
