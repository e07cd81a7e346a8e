// eye(n, dtype: float32): the identity matrix.
#include <cstring>

#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

using Cells = JoinT<Numbers, TypeList<bool>>;

template <class T>
void fill(int64_t n, T* out) {
  std::memset(static_cast<void*>(out), 0, static_cast<size_t>(n * n) * sizeof(T));
  for (int64_t k = 0; k < n; ++k) out[k * n + k] = store<T>(static_cast<Compute<T>>(1));
}

Status negative(int64_t n) {
  return invalid_argument(expected_found("a number of rows of 0 and more", concat(n)));
}

template <class T>
void eye_body(KernelRun& run) {
  for (int i = 0; i < run.rows(); ++i) {
    const int64_t n = *run.arg(0).row<int64_t>(i);
    if (n < 0) {
      fail_row(run, i, "eye", negative(n));
    } else if (T* out = run.make_row<T>(0, i, Shape{n, n}); out != nullptr && n > 0) {
      fill(n, out);
    }
  }
}

Status eye_infer(KernelCall& call) {
  WEIR_TRY(check_scalar(call, 0, "the number of rows"));
  const DType dtype = call.dtype_value(1);
  const bool known = visit<Cells>(dtype, [&]<class T>() { call.body(eye_body<T>); });
  if (!known) return call.error(1, expected_found("a dtype of numbers or bool", dtype_name(dtype)));
  const Tensor* rows = call.constant(0);
  const int64_t n = rows != nullptr ? *rows->as<int64_t>() : kUnknownDim;
  if (rows != nullptr && n < 0) return call.error(0, negative(n).error().what());
  call.result(dtype, Shape{n, n});
  call.set_can_fail(rows == nullptr);
  return Status();
}

}  // namespace

extern constinit const Kernel eye_kernel{
    .name = "eye",
    .params = {{.name = "n", .type = "int64", .doc = "The number of rows and columns."},
               {.name = "dtype", .kind = ParamKind::dtype, .fallback = "float32"}},
    .infer = eye_infer,
    .doc = "The identity matrix of `n` rows and columns. A negative `n` is an error.",
    .result = "The given dtype, [n, n].",
    .cost = "One store per entry.",
    .example = "from_tensors(eye(2, dtype: int64))",
    .output = "[[1, 0], [0, 1]]",
    .bench = "eye(28)",
    .can_fail = true};

}  // namespace weir
