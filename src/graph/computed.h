// Computed values: a `let` of a document that is no dataset and costs more than arithmetic on constants: the
// value of a terminal, or a drawn one. Each iterator computes it once, at its first use; if that fails, each
// use tries again. Then it costs a search among the document's computed values, and a copy per row.
#pragma once

#include "expr/compile/compile.h"

namespace weir {

// `value` is compiled in the scope of the document and may use its $params.
RefPtr<const TerminalRunner> make_computed(ExpressionRef value);

// True if an expression should be computed only once: it drains a dataset or draws numbers.
bool is_worth_keeping(const syntax::Node& node, const Expression& value);

}  // namespace weir
