// plan_tiles finds the instructions of a program that can run as steps over tiles, and how.
#pragma once

#include "expr/run/program.h"

namespace weir {

// Adds all plans to a program whose instructions know their last use.
void plan_tiles(Program& program);

}  // namespace weir
