// Gives a function's result with its dict keys in the order that the caller expects; moves a column per
// component.
#pragma once

#include "expr/types/function.h"

namespace weir {

// `spec` with the keys of its dicts ordered as in `like`.
// REQUIRES: equal structure, keys in any order
Spec ordered_like(const Spec& spec, const Spec& like);

// REQUIRES: wanted is the function's result with keys in another order
FunctionRef reorder_result(FunctionRef function, Spec wanted);

// The function that reorder_result() was given for this one; null for another function.
const Function* reordered(const Function& function);

}  // namespace weir
