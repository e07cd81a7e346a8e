// Checks values from outside before anything relies on them.
#pragma once

#include "core/spec.h"
#include "core/value.h"

namespace weir {

// invalid_argument unless the tensors are a value of that structure: dtypes, shapes, and the invariants of
// sparse and ragged ones. Looks at every index and row split.
Status check_value(const Spec& spec, const Components& values);

}  // namespace weir
