// cardinality_at: how many elements a dataset has when it is opened now, with the values of its variables.
// Opens nothing.
#pragma once

#include "core/runtime.h"
#include "dataset/instance.h"

namespace weir {

// A count, kInfinite or kUnknown. Fails if a parameter cannot be evaluated. Takes some hundred nanoseconds
// per operator whose count was not known when it was built.
Result<int64_t> cardinality_at(Session& session, const Instance& instance);

}  // namespace weir
