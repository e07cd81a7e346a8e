// error_of_exception: the exception in flight as an error, for those who must not throw themselves.
// Ownership: by ErrorPtr. Threads: any. Errors: none; where memory has run out, the error is one made when
// the library was loaded. Cost: an allocation, or none.
#pragma once

#include "core/status.h"

namespace weir {

// What the exception that is being handled says. REQUIRES: inside a catch block.
ErrorPtr error_of_exception() noexcept;

// The error that was made when the library was loaded.
const ErrorPtr& out_of_memory() noexcept;

// Whether an error says that there was no memory for the element in whose place it stands. Whoever counts
// elements counts it, so that a position means the same where memory is there.
bool is_out_of_memory(const Error& error) noexcept;

// The same error as one that ends a restored sequence; `error` where it is one already, out of memory where
// there is none for a copy.
ErrorPtr as_lost_position(const ErrorPtr& error) noexcept;

}  // namespace weir
