// any and all of bools over some or all axes.
#include "expr/infer.h"
#include "expr/reduce.h"

namespace weir {

namespace {

struct All {
  using Acc = bool;
  static constexpr bool kHasIdentity = true;
  static bool identity() { return true; }
  static bool combine(bool a, bool b) { return a & b; }
  template <class R>
  static R finish(bool value, int64_t) {
    return value;
  }
};

struct Any : All {
  static bool identity() { return false; }
  static bool combine(bool a, bool b) { return a | b; }
};

template <class Op>
Status infer(KernelCall& call) {
  if (call.dtype(0) != DType::boolean) return wrong_dtype(call, 0, "bool");
  Shape shape;
  WEIR_ASSIGN(std::shared_ptr<const ReduceAxes> axes, infer_axes(call, 1, 2, &shape));
  call.result(DType::boolean, shape);
  call.body(reduce_body<bool, bool, Op>, axes);
  return Status();
}

}  // namespace

const Kernel& all_kernel() {
  static const Kernel def{
      .name = "all",
      .params = reduction_params(),
      .infer = infer<All>,
      .doc = "Whether all entries are true, over an axis, a list of axes, or all; true of nothing."};
  return def;
}

const Kernel& any_kernel() {
  static const Kernel def{
      .name = "any",
      .params = reduction_params(),
      .infer = infer<Any>,
      .doc = "Whether some entry is true, over an axis, a list of axes, or all; false of nothing."};
  return def;
}

}  // namespace weir
