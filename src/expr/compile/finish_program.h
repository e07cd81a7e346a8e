// finish_program: what a program needs between its last instruction and its first run.
#pragma once

#include "expr/run/program.h"

namespace weir {

// Leaves out dead code that cannot fail, and finds which instructions run together. A finished program that
// was changed may be finished again.
void finish_program(Program& program);

}  // namespace weir
