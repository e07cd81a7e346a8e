// Elements that a first pass keeps in memory for later ones, for `cache` without a file.
//
// The first pass yields what it reads. A pass that reaches the end, or the last element if their number is
// known, fills the cache, and later openings read from it. A pass that ends early keeps nothing, and the next
// one reads the input again. Errors pass at once and are not kept. The kept elements belong to the iterator's
// position (core/epochs.h), or to that of the open dataset if the cache is in a lambda.
#pragma once

#include "dataset/operator.h"

namespace weir {

// Builds the dataset that keeps and gives; for `expand`.
Result<DatasetRef> build_memory_cache(DatasetRef input, const BuildSite& site);

}  // namespace weir
