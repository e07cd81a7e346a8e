// Checks of what a producer of Arrow columns gives, before it is read.
#pragma once

#include "core/status.h"
#include "format/tables/arrow_abi.h"

namespace weir {

// invalid_argument unless a schema has all its parts, no deeper than structures may be. It may have more
// columns than an element may have parts.
Status check_arrow_schema(const ArrowSchema& schema);

// Whether an array has the buffers and children of its type, and `least` entries whose lengths can be. How
// large buffers are, a producer doesn't say.
// REQUIRES: check_arrow_schema() is ok
bool has_entries(const ArrowSchema& column, const ArrowArray& array, int64_t least);

}  // namespace weir
