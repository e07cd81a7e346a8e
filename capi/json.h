// Elements as JSON, one value on one line; weir.h says how each kind of value is written.
// Ownership: yields a string. Threads: pure but for nested datasets, which are drained.
// Errors: those of nested datasets; resource_exhausted above kMaxElementText. Cost: proportional to the text.
#pragma once

#include <string>

#include "capi/runtime.h"
#include "core/spec.h"
#include "core/value.h"

namespace weir::capi {

// REQUIRES: `values` has the components of `spec`.
Result<std::string> json_of(const Spec& spec, const Components& values, const RefPtr<RuntimeHost>& host);

}  // namespace weir::capi
