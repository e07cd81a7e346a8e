#include "exec/watch.h"

#include <cstdint>
#include <cstdio>

namespace weir {

std::string name_of(const void* object) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", object);
  return text;
}

}  // namespace weir
