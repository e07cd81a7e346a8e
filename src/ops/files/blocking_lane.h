// open_on_blocking_lane: runs a dataset that waits for files ahead of its consumer, on its own thread.
#pragma once

#include <memory>

#include "dataset/cursor.h"
#include "dataset/instance.h"

namespace weir {

// `block_rows`: the largest number of rows passed at once. It is above kMaxBlockRows only for readers of
// written elements, whose rows are views: passing a block costs more than reading a thousand numbers.
std::unique_ptr<Cursor> open_on_blocking_lane(Opening& opening, DatasetRef dataset,
                                              int block_rows = kMaxBlockRows);

// For OperatorDef::ahead of operators that use it.
std::optional<RunsAhead> ahead_on_blocking_lane(const ParamsBase& params, std::span<const DatasetRef> inputs);

}  // namespace weir
