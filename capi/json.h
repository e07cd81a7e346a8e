// Elements as JSON, one value per line; weir.h says how each kind of value is written.
#pragma once

#include <string>

#include "capi/runtime.h"
#include "core/spec.h"
#include "core/value.h"

namespace weir::capi {

// Drains nested datasets and fails with their errors; resource_exhausted above kMaxElementText.
// REQUIRES: `values` has the components of `spec`.
Result<std::string> json_of(const Spec& spec, const Components& values, const RefPtr<RuntimeHost>& host);

// The same for a block of `rows` elements, as format_block.
Result<std::string> json_of_block(const Spec& spec, const Components& block, int rows);

}  // namespace weir::capi
