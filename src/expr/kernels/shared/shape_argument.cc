#include "expr/kernels/shared/shape_argument.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"

namespace weir {

Result<Shape> shape_from(const KernelCall& call, int param) {
  const Shape& given = call.shape(param);
  if (given.rank_known() && given.rank() > 1) {
    return call.error(param, expected_found("a list of integers as the shape",
                                            concat("a tensor of shape ", given.to_string())));
  }
  std::optional<std::vector<int64_t>> entries = call.integers(param);
  if (!entries) return Shape::unknown_rank();
  if (entries->size() > static_cast<size_t>(kMaxRank)) {
    return call.error(param,
                      expected_found(concat("at most ", kMaxRank, " dimensions"), concat(entries->size())));
  }
  for (int64_t& entry : *entries) {
    if (entry == kUnknownEntry && call.constant(param) == nullptr) {
      entry = kUnknownDim;
    } else if (entry < 0) {
      return call.error(param, expected_found("dimensions of 0 and more", concat(entry)));
    }
  }
  return Shape(*entries);
}

int64_t known_count(const Shape& shape) {
  if (shape.is_static()) return shape.count();
  const std::span<const int64_t> dims = shape.dims();
  return std::find(dims.begin(), dims.end(), 0) == dims.end() ? -1 : 0;
}

Result<Shape> shape_from(const Entries& entries) {
  if (entries.count > kMaxRank) {
    return invalid_argument(
        expected_found(concat("at most ", kMaxRank, " dimensions"), concat(entries.count)));
  }
  for (int64_t i = 0; i < entries.count; ++i) {
    if (entries[i] < 0)
      return invalid_argument(expected_found("dimensions of 0 and more", concat(entries[i])));
  }
  return Shape(std::span(entries.data, static_cast<size_t>(entries.count)));
}

bool same_in_all_rows(const KernelRun& run, const Arg& arg) {
  if (arg.stride == 0 || arg.row_bytes() == 0) return true;
  for (int i = 1; i < run.rows(); ++i) {
    if (std::memcmp(arg.data, arg.data + i * arg.stride, arg.row_bytes()) != 0) return false;
  }
  return true;
}

}  // namespace weir
