#include "ops/numbers.h"

#include "core/float_mode.h"
#include "core/text.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

template <class T>
T number(uint64_t value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return to_float16(static_cast<double>(static_cast<int64_t>(value)));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(static_cast<float>(static_cast<int64_t>(value)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
void fill(Column& column, uint64_t first, uint64_t step, int rows) {
  T* out = column.make_scalars<T>(rows);
  for (int i = 0; i < rows; ++i) out[i] = number<T>(first + static_cast<uint64_t>(i) * step);
}

// Large integers are rounded.
template <class T>
void fill_rounded(Column& column, uint64_t first, uint64_t step, int rows) {
  in_float_mode([&] { fill<T>(column, first, step, rows); });
}

}  // namespace

WriteNumbers write_numbers(DType dtype) {
  WriteNumbers out = nullptr;
  visit<Integers>(dtype, [&]<class T>() { out = fill<T>; });
  visit<Floats>(dtype, [&]<class T>() { out = fill_rounded<T>; });
  return out;
}

Status check_number_dtype(DType dtype) {
  if (write_numbers(dtype) != nullptr) return Status();
  return invalid_argument(expected_found("an integer or float dtype", dtype_name(dtype)));
}

}  // namespace weir
