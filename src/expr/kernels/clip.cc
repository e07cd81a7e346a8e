// clip(x, low, high): entries held between two bounds, which broadcast to x.
#include "core/text.h"
#include "expr/infer.h"

namespace weir {

namespace {

template <class T>
T clipped(T x, T low, T high) {
  const T capped = x > high ? high : x;
  return capped < low ? low : capped;
}

bool one_value(const KernelRun& run, const Arg& arg) {
  return arg.shape.count() == 1 && (arg.stride == 0 || run.rows() == 1);
}

// Bounds are usually the same scalars for all rows.
template <class T>
void clip_flat(KernelRun& run, T* out) {
  const Arg& x = run.arg(0);
  const Compute<T> low = load(*run.arg(1).row<T>(0));
  const Compute<T> high = load(*run.arg(2).row<T>(0));
  const T* in = x.row<T>(0);
  const int64_t count = x.shape.count() * run.rows();
  for (int64_t k = 0; k < count; ++k) out[k] = store<T>(clipped(load(in[k]), low, high));
}

template <class T>
void clip_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  for (int bound : {1, 2}) {
    std::optional<Shape> broad = broadcast(run.arg(bound).shape, x.shape);
    if (broad && *broad == x.shape) continue;
    Status status = invalid_argument(
        expected_found(concat("the bounds of clip to broadcast to x, of shape ", x.shape.to_string()),
                       run.arg(bound).shape.to_string()));
    for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
    return;
  }
  T* out = run.make<T>(0, x.shape);
  if (out == nullptr) return;
  if (is_flat(run, x) && one_value(run, run.arg(1)) && one_value(run, run.arg(2)))
    return clip_flat<T>(run, out);
  const Strides low_strides = broadcast_strides(run.arg(1).shape, x.shape);
  const Strides high_strides = broadcast_strides(run.arg(2).shape, x.shape);
  const int64_t count = x.shape.count();
  for (int i = 0; i < run.rows(); ++i) {
    const T* in = x.row<T>(i);
    const T* low = run.arg(1).row<T>(i);
    const T* high = run.arg(2).row<T>(i);
    int64_t at[kMaxRank] = {};
    for (int64_t k = 0; k < count; ++k) {
      int64_t low_at = 0;
      int64_t high_at = 0;
      for (int d = 0; d < x.shape.rank(); ++d) {
        low_at += at[d] * low_strides.step[d];
        high_at += at[d] * high_strides.step[d];
      }
      *out++ = store<T>(clipped(load(in[k]), load(low[low_at]), load(high[high_at])));
      for (int d = x.shape.rank() - 1; d >= 0 && ++at[d] == x.shape[d]; --d) at[d] = 0;
    }
  }
}

Status clip_infer(KernelCall& call) {
  for (int bound : {1, 2}) {
    std::optional<Shape> broad = broadcast(call.shape(bound), call.shape(0));
    if (broad && broad->compatible(call.shape(0))) continue;
    return call.error(
        bound, expected_found(concat("a bound that broadcasts to x, of shape ", call.shape(0).to_string()),
                              call.shape(bound).to_string()));
  }
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() { call.body(clip_body<T>); });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  call.result(call.dtype(0), call.shape(0));
  const bool scalars = call.shape(1) == Shape() && call.shape(2) == Shape();
  call.set_can_fail(!scalars && !call.shape(0).is_static());
  return Status();
}

}  // namespace

const Kernel& clip_kernel() {
  static const Kernel def{
      .name = "clip",
      .params = {{.name = "x", .type = "T"},
                 {.name = "low", .type = "T", .doc = "The lower bound."},
                 {.name = "high", .type = "T", .doc = "The upper bound."}},
      .infer = clip_infer,
      .doc =
          "Each entry limited to the range from `low` to `high`, which broadcast to `x`. nan stays nan; `low` wins where it is above `high`.",
      .result = "The dtype and shape of `x`.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors(clip([1, 5, 9], 2, 6))",
      .output = "[2, 5, 6]",
      .bench = "clip(x, 0.0, 1.0)",
      .can_fail = true};
  return def;
}

}  // namespace weir
