// Slice: which elements of its input an operator gives, unchanged and in order. An operator that declares one
// (OperatorTyping::slice) is counted, read by position and sought in by this declaration alone.
#pragma once

#include <cstdint>

#include "core/status.h"
#include "core/world.h"

namespace weir {

// Counts of elements that are no numbers.
inline constexpr int64_t kInfinite = -1;
inline constexpr int64_t kUnknown = -2;

// Elements first, first + step, first + 2 * step … of the input, at most `count` of them.
struct Slice {
  static constexpr int64_t kAll = INT64_MAX;

  int64_t first = 0;
  int64_t step = 1;
  int64_t count = kAll;
  // `first` and `step` are the rank of the process and the number of ranks.
  bool by_rank = false;

  bool operator==(const Slice&) const = default;
  // How many of the first `n` elements these are, without a limit.
  // REQUIRES: n >= 0
  int64_t among(int64_t n) const;
  // How many elements of `n` these are. Both may be kInfinite or kUnknown.
  int64_t count_of(int64_t n) const;
  // With the numbers of this process. failed_precondition if they are needed and not known.
  Result<Slice> of(const World& world) const;
};

}  // namespace weir
