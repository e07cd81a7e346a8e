// From the tree of a written element spec to the Spec that the upper floors compute with.
// Ownership: yields a value. Threads: pure function. Cost: in proportion to the spec.
#pragma once

#include "core/spec.h"
#include "syntax/tree.h"

namespace weir::syntax {

// REQUIRES: node.kind is one of Kind::spec_….
Spec to_spec(const Node& node);

// A text that is one element spec, read; an error shows it with line, column and caret.
Result<Spec> read_spec(std::string_view text);

}  // namespace weir::syntax
