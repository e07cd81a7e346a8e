// The version of the library, as CMake read it from weir.h.
// Ownership: lives for ever. Threads: any. Errors: none. Cost: none.
#pragma once

namespace weir {

// "MAJOR.MINOR.PATCH".
const char* library_version();

}  // namespace weir
