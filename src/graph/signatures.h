// What the parser must know about operators and functions: the grammar of each argument.
#pragma once

#include "syntax/grammar.h"

namespace weir {

const syntax::Grammars& signatures();

}  // namespace weir
