// Calls of the host's functions inside an expression, by block.
#pragma once

#include "expr/run/frame.h"
#include "expr/run/run.h"

namespace weir {

// Calls instruction.function for the rows that have not failed. Its results stay in work.made.
void apply_function(const Program& program, Frame& frame, const Call& call, const Instruction& instruction,
                    Frame::Work& work, int rows);

// Calls the function of a `rows` instruction with the rows of all elements, and stacks what it gives for each
// element. With `drop` only the errors are wanted.
void apply_to_rows(const Program& program, Frame& frame, const Call& call, const Instruction& instruction,
                   Frame::Work& work, int rows, bool drop);

// A column over the rows of a slot; bytes move only if all rows share one value.
void fill_column(const Program& program, Frame& frame, int reg, int rows, Column& out);
// Keeps alive what the entries of a column point into.
void keep_owners(const Column& column, std::vector<RefPtr<RefCounted>>& kept);

}  // namespace weir
