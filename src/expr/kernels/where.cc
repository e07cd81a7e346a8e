// where(c, a, b): a where c is true, else b, entry by entry with broadcasting. Both are computed; use
// `if` to guard one.
#include <array>

#include "expr/infer.h"

namespace weir {

namespace {

template <class T>
void where_flat(KernelRun& run, T* out, int64_t count) {
  const bool* __restrict c = run.arg(0).row<bool>(0);
  const T* __restrict a = run.arg(1).row<T>(0);
  const T* __restrict b = run.arg(2).row<T>(0);
  for (int64_t k = 0; k < count; ++k) out[k] = c[k] ? a[k] : b[k];
}

template <class T>
void where_body(KernelRun& run) {
  const std::optional<Shape> shape = broadcast_run(run);
  if (!shape) return;
  T* out = run.make<T>(0, *shape);
  if (out == nullptr) return;
  const int64_t count = shape->count();
  bool flat = true;
  std::array<Strides, 3> strides;
  for (int i = 0; i < 3; ++i) {
    flat = flat && run.arg(i).shape == *shape && is_flat(run, run.arg(i));
    strides[static_cast<size_t>(i)] = broadcast_strides(run.arg(i).shape, *shape);
  }
  if (flat) return where_flat<T>(run, out, count * run.rows());
  for (int row = 0; row < run.rows(); ++row) {
    const bool* c = run.arg(0).row<bool>(row);
    const T* a = run.arg(1).row<T>(row);
    const T* b = run.arg(2).row<T>(row);
    int64_t at[kMaxRank] = {};
    for (int64_t k = 0; k < count; ++k) {
      int64_t from[3] = {};
      for (int d = 0; d < shape->rank(); ++d) {
        for (size_t i = 0; i < 3; ++i) from[i] += at[d] * strides[i].step[d];
      }
      *out++ = c[from[0]] ? a[from[1]] : b[from[2]];
      for (int d = shape->rank() - 1; d >= 0 && ++at[d] == (*shape)[d]; --d) at[d] = 0;
    }
  }
}

Status where_infer(KernelCall& call) {
  constexpr int kAll[] = {0, 1, 2};
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kAll));
  const bool known = visit<Everything>(call.dtype(1), [&]<class T>() { call.body(where_body<T>); });
  if (!known) return wrong_dtype(call, 1, "a tensor");
  call.result(call.dtype(1), shape);
  bool can_fail = false;
  for (int i : kAll) can_fail = can_fail || !call.shape(i).is_static();
  call.set_can_fail(can_fail);
  return Status();
}

}  // namespace

const Kernel& where_kernel() {
  static const Kernel def{
      .name = "where",
      .params = {{.name = "c", .type = "bool", .doc = "The condition."},
                 {.name = "a", .type = "T"},
                 {.name = "b", .type = "T"}},
      .infer = where_infer,
      .doc =
          "`a` where the condition is true, else `b`, entry by entry. Both are computed; `if` computes only one.",
      .result = "The dtype of `a` and `b`, the broadcast shape.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors(where([true, false], [1, 2], 0))",
      .output = "[1, 0]",
      .bench = "where(b, x, 0.0)"};
  return def;
}

}  // namespace weir
