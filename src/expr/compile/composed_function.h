// composed: one function in place of two that are applied one after the other. narrowed: one without the
// unused parts of its argument and result. with_result_dataset: one that makes another dataset.
#pragma once

#include <functional>
#include <vector>

#include "expr/types/function.h"

namespace weir {

class CompiledFunction;
struct Program;

// Whether the function is a lambda that only computes: it opens nothing, calls nothing of the host and does
// not wait.
bool only_computes(const Function& function);

// The function x -> outer(inner(x)), which gives the same values: random calls keep their places and seeds.
// Null unless both only compute and the inner one cannot fail, so that all errors are the outer one's. Their
// operations run together, without the values in between.
// REQUIRES: the outer one takes what the inner one gives
FunctionRef composed(const Function& inner, const Function& outer);

// Which components of its argument the function needs for these components of its result, and to find out
// whether it fails. All, if it is the host's own.
std::vector<bool> needed_components(const Function& function, const std::vector<bool>& results);

// Marks in `used`, whose first component is that of number `first` of the argument, what the function needs
// for its whole result.
void add_needed(const Function& function, size_t first, std::vector<bool>& used);

// The function of the components `inputs` of the argument, structured as `input`, that gives the components
// `results` of the result, structured as `result`. What fails is the same but for features that nobody uses
// (expr/types/partial_state.h).
// REQUIRES: it only computes, and needs no other components
FunctionRef narrowed(const Function& function, const std::vector<bool>& inputs, Spec input,
                     const std::vector<bool>& results, Spec result);

// The function whose dataset is what `other` returns for it, which has the same structure; null if that is
// the same, or if the dataset is made elsewhere or used otherwise, too. Of a branch either side may change.
FunctionRef with_result_dataset(const CompiledFunction& function,
                                const std::function<DatasetRef(const DatasetRef&)>& other);

// The same program whose first registers are its inputs, as those of a CompiledFunction are.
Program with_inputs_first(const Program& program);

}  // namespace weir
