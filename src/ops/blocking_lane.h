// open_on_blocking_lane: runs a dataset that waits for files ahead of its consumer, on a thread of its own.
#pragma once

#include <memory>

#include "dataset/cursor.h"
#include "dataset/instance.h"

namespace weir {

std::unique_ptr<Cursor> open_on_blocking_lane(Opening& opening, DatasetRef dataset);

// For OperatorDef::ahead of operators that use it.
std::optional<RunsAhead> ahead_on_blocking_lane(const ParamsBase& params, std::span<const DatasetRef> inputs);

}  // namespace weir
