// Computed values: what a `let` of a document stands for that is no dataset and costs more than arithmetic on
// constants: the value of a terminal, or one that is drawn. It is computed at its first use, once an
// iterator. Ownership: shared by the programs that use it. Threads: any. Errors: of computing, at each use
// again. Cost: a search among the document's computed values, and a copy a row.
#pragma once

#include "expr/compile.h"

namespace weir {

// `value` is compiled in the scope of the document, whose $params it may use.
RefPtr<const TerminalRunner> make_computed(ExpressionRef value);

// Whether an expression should be computed once only: it drains a dataset or draws numbers.
bool is_worth_keeping(const syntax::Node& node, const Expression& value);

}  // namespace weir
