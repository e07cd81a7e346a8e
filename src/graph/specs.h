// Specs between tree and structure.
// Ownership: values. Threads: pure functions. Errors: none for a tree that the parser yields.
// Cost: in proportion to the nodes.
#pragma once

#include "core/spec.h"
#include "core/value.h"
#include "syntax/tree.h"

namespace weir {

// REQUIRES: a node of a Kind::spec_….
Spec spec_of_node(const syntax::Node& node);

// invalid_argument unless the tensors are a value of that structure: dtypes, shapes, and the invariants of sparse
// and ragged ones; for what comes from outside.
Status check_value(const Spec& spec, const Components& values);

}  // namespace weir
