// What the parser must know about operators and functions: the grammar of each argument.
#pragma once

#include <string>

#include "syntax/grammar.h"

namespace weir {

const syntax::Grammars& signatures();

// What the operators that may stand there are called elsewhere (OperatorPage::elsewhere), for hints.
std::string names_elsewhere(syntax::CalleeKind kind);

}  // namespace weir
