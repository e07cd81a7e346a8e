// Str: a view of bytes, as a string component holds it. Ownership: none; somebody else keeps the bytes.
// Threads: a value. Errors: none. Cost: 16 bytes.
#pragma once

#include <cstdint>

namespace weir {

struct Str {
  const char* data;
  uint64_t size;
};

}  // namespace weir
