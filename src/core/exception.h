// error_of_exception: the exception in flight as an error, for those who must not throw themselves.
// Ownership: by ErrorPtr. Threads: any. Errors: none; where memory has run out, the error is one made when
// the library was loaded. Cost: an allocation, or none.
#pragma once

#include "core/status.h"

namespace weir {

// What the exception that is being handled says. REQUIRES: inside a catch block.
ErrorPtr error_of_exception() noexcept;

}  // namespace weir
