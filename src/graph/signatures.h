// What the parser must know of operators and functions: the grammar of each argument.
// Ownership: static. Threads: immutable. Errors: none. Cost: built at the first use.
#pragma once

#include "syntax/grammar.h"

namespace weir {

const syntax::Grammars& signatures();

}  // namespace weir
