// IndexPlan: what x[…] says, and the view of a shape that it gives: basic NumPy indexing.
#pragma once

#include <string>
#include <vector>

#include "expr/types/kernel.h"

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
  // An index only has a start.
  IndexBound start, stop, step;
};

class IndexPlan : public KernelState {
 public:
  std::vector<IndexPosition> positions;

  // Positions that consume a dimension, which the ellipsis then doesn't stand for.
  int consumed() const;
  bool has_arguments() const;
  // True if the results of all rows have one shape when the arguments do: only indices are computed.
  bool fixed_shape() const;
};

// Entries of a tensor, by strides in entries.
struct IndexView {
  Shape shape;
  int64_t stride[kMaxRank] = {};
  int64_t offset = 0;
};

// Applies the plan to a shape; `dtype` is named in a message. `bounds` has the value of each run-time
// argument, or nothing while they are unknown; unknown dimensions of `x` give unknown ones of the view.
// Returns a message if a position is out of range, else "".
// REQUIRES: x.rank_known()
std::string resolve(const IndexPlan& plan, DType dtype, const Shape& x, std::span<const int64_t> bounds,
                    IndexView* view);

// Computes results[0] from args[0] by the plan in the state; args[1…] are the plan's arguments, int64
// scalars.
void index_body(KernelRun& run);

}  // namespace weir
