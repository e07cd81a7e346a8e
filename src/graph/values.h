// Values from outside, checked before anything relies on them.
// Ownership: borrows. Threads: pure functions. Errors: invalid_argument. Cost: a look at every index and row
// split.
#pragma once

#include "core/spec.h"
#include "core/value.h"

namespace weir {

// invalid_argument unless the tensors are a value of that structure: dtypes, shapes, and the invariants of
// sparse and ragged ones.
Status check_value(const Spec& spec, const Components& values);

}  // namespace weir
