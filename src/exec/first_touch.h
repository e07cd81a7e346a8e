// touch_first: lets the kernel give memory its pages now, on several threads if there is much of it.
#pragma once

#include <cstddef>

namespace weir {

// Writes a byte of each page of `bytes` bytes, whose contents are lost. Threads that cannot be started are
// done without.
void touch_first(void* data, size_t bytes, int threads) noexcept;

}  // namespace weir
