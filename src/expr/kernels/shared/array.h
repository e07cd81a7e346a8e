// What kernels that rearrange tensors share: axes given as constants while the rank may be unknown until
// there is an element, parts of shapes, and failures of whole runs.
#pragma once

#include <vector>

#include "core/text.h"
#include "expr/kernels/shared/wrap.h"
#include "expr/types/kernel.h"

namespace weir {

struct AxisState : KernelState {
  int64_t axis = 0;
};

constexpr KernelParam axis_param(const char* fallback,
                                 const char* doc = "The axis; negative counts from the last.") {
  return {.name = "axis", .kind = ParamKind::constant, .type = "int64", .fallback = fallback, .doc = doc};
}

// The axis counted from 0.
inline Result<int> resolve_axis(int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  return invalid_argument(concat("the axis ", axis, " is out of range for a tensor of rank ", rank));
}

// Reads a parameter of kind constant: checked and counted from 0 if the rank is known, else as written.
inline Result<int64_t> read_axis(const KernelCall& call, int param, const Shape& shape) {
  if (!shape.rank_known()) return call.integer(param);
  WEIR_ASSIGN(const int axis, call.axis(param, shape.rank()));
  return int64_t{axis};
}

// The same for an axis or a list of distinct axes, in the order written.
Result<std::vector<int64_t>> read_axes(const KernelCall& call, int param, const Shape& shape);
// Counts them from 0; invalid_argument if one is out of range or they are not distinct.
Result<std::vector<int>> resolve_axes(std::span<const int64_t> axes, int rank);

// Fails a row, or all rows of the run, with the name of the function in front of the message.
inline void fail_row(KernelRun& run, int row, std::string_view function, const Status& status) {
  run.fail(row, Status(status.code(), concat(function, ": ", status.error().message)));
}
inline void fail_all(KernelRun& run, std::string_view function, const Status& status) {
  const Status named(status.code(), concat(function, ": ", status.error().message));
  for (int i = 0; i < run.rows(); ++i) run.fail(i, named);
}

// `shape` with its dimensions from `axis` up to `end` replaced by those of `middle`. Nothing if there would
// be too many.
inline std::optional<Shape> spliced(const Shape& shape, int axis, int end, std::span<const int64_t> middle) {
  int64_t dims[3 * kMaxRank];
  size_t rank = 0;
  for (int d = 0; d < axis; ++d) dims[rank++] = shape[d];
  for (int64_t dim : middle) dims[rank++] = dim;
  for (int d = end; d < shape.rank(); ++d) dims[rank++] = shape[d];
  if (rank > static_cast<size_t>(kMaxRank)) return std::nullopt;
  return Shape(std::span<const int64_t>(dims, rank));
}

// The product of the dimensions [begin, end). It overflows only if another dimension is 0, and is not used
// then.
inline int64_t extent_of(const Shape& shape, int begin, int end) {
  int64_t product = 1;
  for (int d = begin; d < end; ++d) product = wrap::multiply(product, shape[d]);
  return product;
}

}  // namespace weir
