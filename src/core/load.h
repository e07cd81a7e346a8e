// load<T>: a value as it lies in memory, aligned or not.
#pragma once

#include <cstring>

namespace weir {

template <class T>
T load(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace weir
