// visit_entry: passes an entry of a tensor, in its own type, to a function that prints it. Returns false for
// nested datasets, which have no entries to print.
#pragma once

#include <cstdint>

#include "core/tensor.h"
#include "expr/types/dispatch.h"

namespace weir {

// Calls f(const T& entry) for entry `i`.
template <class F>
bool visit_entry(const Tensor& tensor, int64_t i, F&& f) {
  return visit<Everything>(tensor.dtype, [&]<class T>() { f(tensor.as<const T>()[i]); });
}

}  // namespace weir
