// What the options() of a pipeline say about running ahead (tuning_of), and where it keeps blocks of remote
// files (disk_cache_of).
#pragma once

#include <cstdint>
#include <string>

#include "dataset/dataset.h"
#include "exec/tuning.h"

namespace weir {

// Of several options() the one nearest to the end of the pipeline counts, for each setting by itself. Those
// inside lambdas don't. `ledger`: what all iterators may hold, may be null. `restores`: the pipeline begins
// at a saved position.
RefPtr<const Tuning> tuning_of(const Dataset& root, MemoryLedger* ledger, bool restores = false);

struct DiskCacheChoice {
  // Empty: none.
  std::string folder;
  // 0: the usual number.
  uint64_t bytes = 0;
};

// The same rules hold for these.
DiskCacheChoice disk_cache_of(const Dataset& root);

}  // namespace weir
