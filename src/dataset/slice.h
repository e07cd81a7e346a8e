// Slice: which elements of its input an operator gives, unchanged and in order. An operator that declares one
// (OperatorDef::slice) is counted, read by position and sought in by this declaration alone.
#pragma once

#include <cstdint>
#include <memory>

#include "core/status.h"
#include "core/world.h"

namespace weir {

class Access;  // dataset/access.h

// Elements first, first + step, first + 2 * step … of the input, at most `count` of them.
struct Slice {
  static constexpr int64_t kAll = INT64_MAX;

  int64_t first = 0;
  int64_t step = 1;
  int64_t count = kAll;
  // `first` and `step` are the rank of the process and the number of ranks.
  bool by_rank = false;

  // How many elements of `n` these are. Both may be kInfinite or kUnknown.
  int64_t count_of(int64_t n) const;
  // With the numbers of this process. failed_precondition if they are needed and not known.
  Result<Slice> of(const World& world) const;
};

// Its elements by their positions in the slice.
// REQUIRES: first >= 0, step >= 1, count >= 0, !by_rank
std::unique_ptr<Access> slice_access(std::unique_ptr<Access> input, const Slice& slice);

}  // namespace weir
