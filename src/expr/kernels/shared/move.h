// For kernels that move entries and do not look at them: one instance for each width, not for each dtype.
//
//   visit_width(call.dtype(0), [&]<class E>() { call.body(gather_body<E>); });
//
// E is an unsigned integer of the width, or Entry16 for strings and complex128. A body gets at rows with
// arg.row<E>(i) and makes its results with run.make<E>().
#pragma once

#include <utility>

#include "core/dtype.h"

namespace weir {

struct Entry16 {
  uint64_t words[2];
};

// Calls f<E>() for the type of that size.
// REQUIRES: size is 1, 2, 4, 8 or 16
template <class F>
void visit_size(size_t size, F&& f) {
  switch (size) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    case 8:
      return f.template operator()<uint64_t>();
    default:
      return f.template operator()<Entry16>();
  }
}

// Calls f<E>() for the type whose size is that of the dtype's entries.
template <class F>
void visit_width(DType dtype, F&& f) {
  visit_size(dtype_size(dtype), std::forward<F>(f));
}

}  // namespace weir
