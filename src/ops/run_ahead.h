// run_ahead: a node over the dataset of a slot that runs ahead on a Window of its own, as those of a parallel
// interleave do. All that share a Credit are pulled as often at once as that allows, so a thousand slots take no more
// threads than a few. Its saved position fits the same node without a credit, which runs nothing ahead.
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

Result<DatasetRef> run_ahead(DatasetRef dataset, const AheadSlots& slots);

}  // namespace weir
