// clip(x, low, high): entries held between two bounds, which broadcast to x.
#include "core/text.h"
#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

struct Clip {
  // Bounds are usually scalars.
  using Masks = Vectorised<0b001, 0b111>;

  template <class T>
  T operator()(T x, T low, T high) const {
    const T capped = x > high ? high : x;
    return capped < low ? low : capped;
  }
};

template <class T>
void clip_body(KernelRun& run) {
  const Shape& shape = run.arg(0).shape;
  for (int bound : {1, 2}) {
    std::optional<Shape> broad = broadcast(run.arg(bound).shape, shape);
    if (broad && *broad == shape) continue;
    Status status = invalid_argument(
        expected_found(concat("the bounds of clip to broadcast to x, of shape ", shape.to_string()),
                       run.arg(bound).shape.to_string()));
    for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
    return;
  }
  entries_body<Clip, T, T, T, T>(run);
}

Status clip_infer(KernelCall& call) {
  for (int bound : {1, 2}) {
    std::optional<Shape> broad = broadcast(call.shape(bound), call.shape(0));
    if (broad && broad->compatible(call.shape(0))) continue;
    return call.error(
        bound, expected_found(concat("a bound that broadcasts to x, of shape ", call.shape(0).to_string()),
                              call.shape(bound).to_string()));
  }
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() { call.entry_body(clip_body<T>); });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  call.result(call.dtype(0), call.shape(0));
  const bool scalars = call.shape(1) == Shape() && call.shape(2) == Shape();
  call.set_can_fail(!scalars && !call.shape(0).is_static());
  return Status();
}

}  // namespace

extern constinit const Kernel clip_kernel{
    .name = "clip",
    .params = {{.name = "x", .type = "T"},
               {.name = "low", .type = "T", .doc = "The lower bound."},
               {.name = "high", .type = "T", .doc = "The upper bound."}},
    .infer = clip_infer,
    .step = StepKind::clip,
    .doc =
        "Limits each entry to the range from `low` to `high`. These broadcast to `x`. nan stays nan; `low` wins where it is above `high`. Integers and floats only.",
    .result = "The dtype and shape of `x`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(clip([1, 5, 9], 2, 6))",
    .output = "[2, 5, 6]",
    .bench = "clip(x, 0.0, 1.0)",
    .can_fail = true};

}  // namespace weir
