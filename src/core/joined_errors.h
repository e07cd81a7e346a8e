// joined: one error for a row that two took.
#pragma once

#include "core/status.h"

namespace weir {

// The first, or the one that ends the sequence. If the other says that a file could not be read, FailedReads
// lists it with the first, unless there is no memory for that.
ErrorPtr joined(const ErrorPtr& first, const ErrorPtr& other) noexcept;

}  // namespace weir
