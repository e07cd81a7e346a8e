// Functions of a document: `let half = x -> x / 2`, written out where they are called.
//
// A call becomes the body with the arguments in the places of the parameters; an argument that is more than a name or a
// literal and is used more than once is given a name by `let … in`, so that it is computed once. Names keep their
// meaning: what a body or an argument refers to is never captured by a name that is bound around the place it moves to;
// such names are renamed (x_2).
// Ownership: yields a tree of its own. Threads: pure function. Errors: invalid_argument at each call that does not
// fit, and where the result is too large or too deep. Cost: linear in the text with the calls written out.
#pragma once

#include "syntax/tree.h"

namespace weir::syntax {

// Nodes of a text with its calls written out.
inline constexpr size_t kMaxWrittenNodes = 200'000;

// The document without its functions. REQUIRES: root is a Kind::document.
Result<NodePtr> write_out_functions(const NodePtr& root);

}  // namespace weir::syntax
