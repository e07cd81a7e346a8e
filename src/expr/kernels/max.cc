// min and max over some or all axes; nan passes through.
#include <limits>

#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/reduce.h"

namespace weir {

namespace {

template <class A>
struct Max {
  using Acc = A;
  static constexpr bool kHasIdentity = std::is_floating_point_v<A>;
  static A identity() { return -std::numeric_limits<A>::infinity(); }
  static A combine(A a, A b) {
    const A greatest = a > b ? a : b;  // b if it is nan
    return a != a ? a : greatest;
  }
  template <class R>
  static R finish(A value, int64_t) {
    return store<R>(value);
  }
};

template <class A>
struct Min : Max<A> {
  static A identity() { return std::numeric_limits<A>::infinity(); }
  static A combine(A a, A b) {
    const A least = a < b ? a : b;
    return a != a ? a : least;
  }
};

template <template <class> class Op>
Status max_infer(KernelCall& call) {
  WEIR_TRY(infer_reduction<Op>(call));
  const Shape& from = call.shape(0);
  call.set_can_fail(is_integer(call.dtype(0)) && !(from.is_static() && from.count() > 0));
  return Status();
}

}  // namespace

extern constinit const Kernel max_kernel{
    .name = "max",
    .params = kReductionParams,
    .infer = max_infer<Max>,
    .doc =
        "The greatest entry over an axis, a list of axes, or all axes. It is nan if any entry is nan. Without entries it is -inf for floats and an error of the element for integers. Integers and floats only.",
    .result = "The dtype of `x`; the shape without the axes, which stay as 1 with `keepdims`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(max([[1, 5], [4, 2]], axis: 0))",
    .output = "[4, 5]",
    .bench = "max(x)",
    .can_fail = true};

extern constinit const Kernel min_kernel{
    .name = "min",
    .params = kReductionParams,
    .infer = max_infer<Min>,
    .doc =
        "The least entry over an axis, a list of axes, or all axes. It is nan if any entry is nan. Without entries it is inf for floats and an error of the element for integers. Integers and floats only.",
    .result = "The dtype of `x`; the shape without the axes, which stay as 1 with `keepdims`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(min([[1, 5], [4, 2]], axis: 0))",
    .output = "[1, 2]",
    .bench = "min(x)",
    .can_fail = true};

}  // namespace weir
