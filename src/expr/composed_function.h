// composed: one function in place of two that are applied one after the other.
#pragma once

#include "expr/function.h"

namespace weir {

// Whether the function is a lambda that only computes: it opens nothing, calls nothing of the host and does not wait.
bool only_computes(const Function& function);

// The function x -> outer(inner(x)), which gives the same values: random calls keep their places and seeds. Null unless
// both only compute and the inner one cannot fail, so that all errors are the outer one's. Their operations run together,
// without the values in between.
// REQUIRES: the outer one takes what the inner one gives
FunctionRef composed(const Function& inner, const Function& outer);

// Whether the function is the lambda that gives its argument, and whether it is a condition that is true of every row.
bool is_identity(const Function& function);
bool is_always_true(const Function& function);

}  // namespace weir
