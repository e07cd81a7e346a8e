// Functions of a document, such as `let half = x -> x / 2`, are written out where they are called.
//
// A call becomes the body with the arguments in place of the parameters. An argument that is more than a name
// or a literal and is used more than once gets a name by `let … in`, so that it is computed once. Names keep
// their meaning: a name in a body or an argument is never captured by one that is bound around its new place;
// the latter is renamed (x_2). Takes time linear in the resulting text.
#pragma once

#include "syntax/tree.h"

namespace weir::syntax {

// The most nodes of a text with its calls written out.
inline constexpr size_t kMaxWrittenNodes = 200'000;

// Returns the document without its functions, as a new tree. invalid_argument at each call that does not fit,
// and if the result is too large or too deep.
// REQUIRES: root is a Kind::document.
Result<NodePtr> write_out_functions(const NodePtr& root);

}  // namespace weir::syntax
