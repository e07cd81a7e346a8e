// positions_of: a dataset of the elements of a slice of another, each read by its position
// (OperatorAccess::open), ahead of the consumer where reading blocks.
#pragma once

#include <optional>

#include "dataset/dataset.h"

namespace weir {

// `rows`: how many elements these are, or kUnknown; `whole`: how many the input has, likewise, else it is one
// error. `before`: how often the nodes of the input were opened before, where a function drains these.
// REQUIRES: !slice.by_rank, and check_access(*input) is ok
Result<DatasetRef> positions_of(DatasetRef input, const Slice& slice, int64_t rows, int64_t whole = kUnknown,
                                std::optional<EpochTableRef> before = std::nullopt);

}  // namespace weir
