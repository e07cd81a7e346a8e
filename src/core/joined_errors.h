// joined: one error for a row that several took.
#pragma once

#include <span>

#include "core/status.h"

namespace weir {

// The first, or one that ends the sequence. FailedReads lists with it the others that say that a file could
// not be read, except those for which there is no memory.
ErrorPtr joined(const ErrorPtr& first, std::span<const ErrorPtr> others) noexcept;

}  // namespace weir
