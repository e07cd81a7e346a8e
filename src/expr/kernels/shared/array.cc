#include "expr/kernels/shared/array.h"

#include <algorithm>

namespace weir {

Result<std::vector<int64_t>> read_axes(const KernelCall& call, int param, const Shape& shape) {
  const Tensor* value = call.constant(param);
  const bool empty = value != nullptr && value->count() == 0;
  if (value == nullptr || value->shape.rank() > 1 || (value->dtype != DType::int64 && !empty)) {
    return call.error(param, "expected an axis or a list of axes");
  }
  std::vector<int64_t> out;
  if (empty) return out;
  const std::span<const int64_t> entries = value->entries<const int64_t>();
  out.assign(entries.begin(), entries.end());
  if (shape.rank_known()) {
    Result<std::vector<int>> counted = resolve_axes(out, shape.rank());
    if (!counted.ok()) return call.error(param, counted.status().error().what());
    out.assign(counted->begin(), counted->end());
  }
  return out;
}

Result<std::vector<int>> resolve_axes(std::span<const int64_t> axes, int rank) {
  std::vector<int> out;
  for (int64_t axis : axes) {
    WEIR_ASSIGN(const int at, resolve_axis(axis, rank));
    if (std::find(out.begin(), out.end(), at) != out.end()) {
      return invalid_argument(concat("the axis ", axis, " is given twice"));
    }
    out.push_back(at);
  }
  return out;
}

}  // namespace weir
