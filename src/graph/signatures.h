// What the parser must know about operators and functions: the grammar of each argument.
#pragma once

#include <optional>
#include <string>

#include "syntax/grammar.h"

namespace weir {

const syntax::Grammars& signatures();

// What the operators that may stand there, or anywhere, are called elsewhere (OperatorPage::elsewhere).
std::string names_elsewhere(std::optional<syntax::CalleeKind> kind = {});

}  // namespace weir
