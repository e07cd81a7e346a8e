// Mistakes that many kernels report when a call is typed, in the same words.
#pragma once

#include "core/text.h"
#include "expr/types/kernel.h"

namespace weir {

inline Status wrong_dtype(const KernelCall& call, int param, std::string_view expected) {
  return call.error(param, expected_found(concat(expected), dtype_name(call.dtype(param))));
}

// For functions of analysis, which take floats only.
inline Status check_float(const KernelCall& call, int param) {
  if (is_float(call.dtype(param))) return Status();
  return call.error(
      param, expected_found("a float dtype", dtype_name(call.dtype(param)), "convert it, as in float64(x)"));
}

inline Status check_scalar(const KernelCall& call, int param, std::string_view what) {
  if (call.shape(param) == Shape()) return Status();
  return call.error(param, expected_found(concat(what, " to be a scalar"),
                                          concat("the shape ", call.shape(param).to_string())));
}

}  // namespace weir
