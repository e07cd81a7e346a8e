// repeated_count: how many elements there are in `count` epochs of n elements; for ever if it is negative.
// Unknown if an int64 cannot say it.
#pragma once

#include <cstdint>

#include "core/checked.h"
#include "dataset/dataset.h"

namespace weir {

inline int64_t repeated_count(int64_t n, int64_t count) {
  if (count < 0) return n == 0 ? 0 : kInfinite;
  if (count == 0) return 0;
  if (n < 0) return n;
  return checked_multiply(n, count).value_or(kUnknown);
}

}  // namespace weir
