// Runs a program over the rows of a block. Each frame serves one call at a time and gets the errors by row.
// An instruction costs about 30 ns besides its body.
#pragma once

#include <span>
#include <vector>

#include "expr/run/call.h"
#include "expr/run/frame.h"

namespace weir {

// The column that a result is written to, or null.
struct Destination {
  int reg = -1;
  Column* column = nullptr;
};

// Runs the code over `rows` rows. With `drop` it runs only what can fail.
// REQUIRES: the slots of inputs are set; frame.errors holds the errors so far.
void evaluate(const Program& program, Frame& frame, const Call& call, int rows, bool drop,
              std::span<const Destination> destinations = {});

// Replaces a value that is too small to hold its block's memory for by a copy. Returns false for others.
bool copy_if_small(Tensor& value);

// Releases what the call referred to.
void release(const Program& program, Frame& frame);

}  // namespace weir
