// NumPy broadcasting: of shapes when a call is typed, and of entries when it runs.
// Ownership: none. Threads: pure. Errors: as each says.
// Cost: one flat loop where shapes are equal or one side is a scalar, else a loop over the last dimensions.
#pragma once

#include <optional>

#include "expr/kernel.h"

namespace weir {

// The shape that both broadcast to; an unknown dimension against a known one other than 1 gives the known
// one. Nothing if known dimensions show that they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

// Of a call's arguments: an error that names both shapes if two of them do not fit.
Result<Shape> broadcast_shapes(const KernelCall& call, std::span<const int> params);

// The concrete shape of the run's arguments, all of them; fails every row and gives nothing if they do not
// fit.
std::optional<Shape> broadcast_run(KernelRun& run);

// Where the entries of an argument lie as one walks the entries of a wider shape: the entry's distance for a
// step along each dimension, 0 along those that are repeated.
struct Strides {
  int64_t step[kMaxRank] = {};
};
Strides broadcast_strides(const Shape& from, const Shape& to);

}  // namespace weir
