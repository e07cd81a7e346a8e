// A terminal inside a lambda: opens its dataset for the row and takes the one element.
// Ownership: shares the dataset. Threads: any number at once. Errors: the element's.
// Cost: opening the dataset, a session of its own, and what its elements cost.
#pragma once

#include "expr/compile.h"

namespace weir {

// `in_lambda`: each call is a row's, and draws random orders of its own.
RefPtr<const TerminalRunner> make_terminal_runner(DatasetRef dataset, bool in_lambda);

}  // namespace weir
