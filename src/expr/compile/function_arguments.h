// Matches the arguments of a function's call with the parameters of its kernel.
#pragma once

#include <optional>
#include <vector>

#include "expr/types/kernel.h"
#include "syntax/tree.h"

namespace weir {

struct FunctionArguments {
  // The node of each parameter, null if left out.
  std::vector<syntax::NodePtr> values;
  // What does not match, and the node that it is about.
  std::optional<Mistake> mistake;
  const syntax::Node* where = nullptr;
};

FunctionArguments match_arguments(const Kernel& kernel, const syntax::Node& call);

}  // namespace weir
