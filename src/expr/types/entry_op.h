// EntryOp: what an instruction computes entry by entry, where tiles.h has steps that give the same bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir {

enum class EntryOp : uint8_t {
  none,
  // Of two arguments.
  add,
  subtract,
  multiply,
  divide,
  minimum,
  maximum,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  // Of one.
  abs,
  ceil,
  floor,
  logical_not,
  is_finite,
  is_nan,
  negative,
  reciprocal,
  round,
  rsqrt,
  sign,
  sqrt,
  square,
  cast,
  // Of three.
  clip,
  where,
};

// What a function of the notation does to each entry; none if there are no steps for it.
EntryOp entry_op(std::string_view function);

}  // namespace weir
