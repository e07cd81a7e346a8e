// From the tree of a written element spec to the Spec that the upper floors use.
#pragma once

#include "core/spec.h"
#include "syntax/tree.h"

namespace weir::syntax {

// REQUIRES: node.kind is one of Kind::spec_….
Spec to_spec(const Node& node);

// Reads a text that is one element spec; an error shows it with line, column and caret.
Result<Spec> read_spec(std::string_view text);

}  // namespace weir::syntax
