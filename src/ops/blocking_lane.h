// open_on_blocking_lane: runs a dataset that waits for files ahead of its consumer, on a thread of its own.
#pragma once

#include <memory>

#include "dataset/cursor.h"
#include "dataset/instance.h"

namespace weir {

// `block_rows`: the most rows that are handed over at once. Above kMaxBlockRows only for what gives views of written
// elements: handing over a block costs more than reading a thousand numbers.
std::unique_ptr<Cursor> open_on_blocking_lane(Opening& opening, DatasetRef dataset,
                                              int block_rows = kMaxBlockRows);

// For OperatorDef::ahead of operators that use it.
std::optional<RunsAhead> ahead_on_blocking_lane(const ParamsBase& params, std::span<const DatasetRef> inputs);

}  // namespace weir
