// The version of the library, as CMake read it from weir.h.
#pragma once

namespace weir {

// "MAJOR.MINOR.PATCH".
const char* library_version();

}  // namespace weir
