// NumPy broadcasting: of shapes when a call is typed, and of entries when it runs. Runs one flat loop if the
// shapes are equal or one side is a scalar, else a loop over the last dimensions.
#pragma once

#include <optional>

#include "expr/types/kernel.h"

namespace weir {

// The shape that both broadcast to; an unknown dimension against a known one other than 1 gives the known
// one. Nothing if known dimensions show that they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

// The same for a call's arguments; the error names both shapes if two of them do not fit.
Result<Shape> broadcast_shapes(const KernelCall& call, std::span<const int> params);

// The concrete shape of all arguments of the run. If they do not fit, fails every row and returns nothing.
std::optional<Shape> broadcast_run(KernelRun& run);

// Where the entries of an argument lie as one walks the entries of a wider shape: the distance per step along
// each dimension, 0 along repeated ones.
struct Strides {
  int64_t step[kMaxRank] = {};
};
Strides broadcast_strides(const Shape& from, const Shape& to);

}  // namespace weir
