// A terminal inside a lambda: opens its dataset for the row, in its own session, and takes the one element.
// May run on any number of threads at once.
#pragma once

#include "expr/compile/compile.h"

namespace weir {

// `in_lambda`: each call belongs to a row and draws its own random orders.
RefPtr<const TerminalRunner> make_terminal_runner(DatasetRef dataset, bool in_lambda);

}  // namespace weir
