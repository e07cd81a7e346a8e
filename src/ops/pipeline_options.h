// tuning_of: what the options() of a pipeline say about running ahead.
#pragma once

#include "dataset/dataset.h"
#include "exec/tuning.h"

namespace weir {

// Of several options() the one nearest to the end of the pipeline counts, for each setting by itself. Those
// inside lambdas don't. `ledger`: what all iterators may hold, may be null. `restores`: the pipeline begins
// at a saved position.
RefPtr<const Tuning> tuning_of(const Dataset& root, MemoryLedger* ledger, bool restores = false);

}  // namespace weir
