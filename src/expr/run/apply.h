// Calls of the host's functions inside an expression, by block.
#pragma once

#include "expr/run/frame.h"
#include "expr/run/run.h"

namespace weir {

// Calls instruction.function for the rows that have not failed. Its results stay in work.made.
void apply_function(const Program& program, Frame& frame, const Call& call, const Instruction& instruction,
                    Frame::Work& work, int rows);

}  // namespace weir
