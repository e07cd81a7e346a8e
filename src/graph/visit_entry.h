// visit_entry: gives an entry of a tensor, as the type that it has, to whoever prints it.
// Ownership: none. Threads: pure. Errors: false for nested datasets, which have no entries to print. Cost: one
// switch's worth.
#pragma once

#include <cstdint>

#include "core/tensor.h"
#include "expr/dispatch.h"

namespace weir {

// Calls f(const T& entry) for entry `i`.
template <class F>
bool visit_entry(const Tensor& tensor, int64_t i, F&& f) {
  return visit<Everything>(tensor.dtype, [&]<class T>() { f(tensor.as<const T>()[i]); });
}

}  // namespace weir
