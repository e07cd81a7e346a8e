// An internal operator: a dataset of which more is known than its operators tell. It costs a virtual call per
// block.
#pragma once

#include <cstdint>

#include "dataset/dataset.h"

namespace weir {

// The elements of `input`; its cardinality is `count`, whatever that of `input` is.
Result<DatasetRef> counted_dataset(DatasetRef input, int64_t count);

}  // namespace weir
