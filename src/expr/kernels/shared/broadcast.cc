#include "expr/kernels/shared/broadcast.h"

#include <algorithm>

#include "core/text.h"

namespace weir {

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  if (!a.rank_known() || !b.rank_known()) return Shape::unknown_rank();
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  const int ahead = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t x = longer[ahead + i];
    const int64_t y = shorter[i];
    if (x == y || y == 1) continue;
    if (x == 1 || x == kUnknownDim) {
      out.set_dim(ahead + i, y);
    } else if (y != kUnknownDim) {
      return std::nullopt;
    }
  }
  return out;
}

Result<Shape> broadcast_shapes(const KernelCall& call, std::span<const int> params) {
  Shape out;
  for (int param : params) {
    std::optional<Shape> both = broadcast(out, call.shape(param));
    if (!both) {
      return call.error(param, concat("shapes do not broadcast: ", out.to_string(), " and ",
                                      call.shape(param).to_string()));
    }
    out = *both;
  }
  return out;
}

std::optional<Shape> broadcast_run(KernelRun& run) {
  Shape out;
  for (int i = 0; i < run.arg_count(); ++i) {
    std::optional<Shape> both = broadcast(out, run.arg(i).shape);
    if (!both) {
      const Status status = invalid_argument(
          concat("shapes do not broadcast: ", out.to_string(), " and ", run.arg(i).shape.to_string()));
      for (int row = 0; row < run.rows(); ++row) run.fail(row, status);
      return std::nullopt;
    }
    out = *both;
  }
  return out;
}

Strides broadcast_strides(const Shape& from, const Shape& to) {
  Strides out;
  int64_t step = 1;
  for (int i = from.rank() - 1; i >= 0; --i) {
    const int at = to.rank() - from.rank() + i;
    out.step[at] = from[i] == 1 ? 0 : step;
    step *= from[i];
  }
  return out;
}

}  // namespace weir
