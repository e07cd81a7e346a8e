// Evaluation: runs a program over the rows of a block.
// Ownership: none beyond the call. Threads: one call a frame. Errors: by row, in the frame.
// Cost: about 30 ns an instruction and what its body costs.
#pragma once

#include <span>
#include <vector>

#include "expr/call.h"
#include "expr/frame.h"

namespace weir {

// A result's own home, or null where there is none.
struct Destination {
  int reg = -1;
  Column* column = nullptr;
};

// Runs the code over `rows` rows. REQUIRES: the slots of inputs are set; frame.errors holds the errors so
// far. With `drop` only what can fail is run.
void evaluate(const Program& program, Frame& frame, const Call& call, int rows, bool drop,
              std::span<const Destination> destinations = {});

// Everything that strings or datasets of a register may point into.
void collect_owners(const Program& program, Frame& frame, int reg, std::vector<RefPtr<RefCounted>>& out);

// Releases what the call referred to.
void release(const Program& program, Frame& frame);

}  // namespace weir
