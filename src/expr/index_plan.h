// IndexPlan: what x[…] says, and the view of a shape that it gives: basic NumPy indexing.
// Ownership: part of a program. Threads: immutable. Errors: messages without a place.
// Cost: one step a dimension.
#pragma once

#include <string>
#include <vector>

#include "expr/kernel.h"

namespace weir {

struct IndexBound {
  enum class Kind : uint8_t { absent, constant, argument };
  Kind kind = Kind::absent;
  // The value, or the number of the run-time argument.
  int64_t value = 0;
};

struct IndexPosition {
  enum class Kind : uint8_t { index, slice, ellipsis, newaxis };
  Kind kind = Kind::index;
  // An index has a start only.
  IndexBound start, stop, step;
};

class IndexPlan : public KernelState {
 public:
  std::vector<IndexPosition> positions;

  // Positions that take a dimension away from what the ellipsis stands for.
  int consumed() const;
  bool has_arguments() const;
  // The results of all rows have one shape if the arguments do: only indices are computed.
  bool fixed_shape() const;
};

// Entries of a tensor, by strides in entries.
struct IndexView {
  Shape shape;
  int64_t stride[kMaxRank] = {};
  int64_t offset = 0;
};

// `bounds` has the value of each run-time argument, or nothing while they are unknown; dimensions of `x` may
// be unknown too, and then those of the view are. Gives a message if a position is out of range, else "".
// REQUIRES: x.rank_known()
std::string resolve(const IndexPlan& plan, const Shape& x, std::span<const int64_t> bounds, IndexView* view);

// Gives results[0] = args[0] as the plan in the state says; args[1…] are the plan's arguments, scalars of
// int64.
void index_body(KernelRun& run);

}  // namespace weir
