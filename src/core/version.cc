#include "core/version.h"

namespace weir {

const char* library_version() { return WEIR_LIBRARY_VERSION; }

}  // namespace weir
