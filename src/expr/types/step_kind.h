// StepKind: the steps of which code over tiles consists (run/tiles.h). A kernel names the one that gives the
// bits of its entry_body().
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

enum class StepKind : uint8_t {
  // No step does it.
  none,
  // A conversion between two dtypes, for which the plan finds one of those below.
  cast,

  // The tile from the entries at data + at * stride, of the lane's type, bytes, or bools.
  load,
  load_bytes,
  load_bools,
  // Writes the tile there, and leaves it as it is.
  store,
  store_bytes,
  store_bools,
  // The last step: the tile is done.
  end,

  // The tile and the entries at data + at * stride, of the lane's type.
  add,
  subtract,
  subtract_from,
  multiply,
  divide,
  divide_into,
  minimum,
  minimum_with,
  maximum,
  maximum_with,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  bits_and,
  bits_or,

  // The tile alone.
  abs,
  ceil,
  floor,
  bits_not,
  is_finite,
  is_nan,
  negative,
  reciprocal,
  round,
  rsqrt,
  sign,
  sqrt,
  square,
  // From the lane's type to the other type of its width.
  to_float,
  // From a bool to the lane's type, and back.
  from_bool,
  to_bool,

  // The tile and the entries of this step and the next one: low and high; those for true and for false.
  clip,
  choose,
};
inline constexpr size_t kStepKinds = static_cast<size_t>(StepKind::choose) + 1;

}  // namespace weir
