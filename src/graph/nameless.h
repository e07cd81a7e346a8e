// A tree whose variables have numbers for names, so that `x -> x + 1` and `y -> y + 1` are one.
#pragma once

#include "syntax/tree.h"

namespace weir {

// Replaces the names that lambdas, patterns and `let` bind, wherever they are used: those of a document's
// `let` are counted in order, all others by how many are bound around them. Free names and `$` parameters
// stay. The result prints, but does not parse.
syntax::NodePtr nameless(const syntax::NodePtr& node);

}  // namespace weir
