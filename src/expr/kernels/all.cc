// any and all of bools over some or all axes.
#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/reduce.h"

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
Status all_infer(KernelCall& call) {
  if (call.dtype(0) != DType::boolean) return wrong_dtype(call, 0, "bool");
  Shape shape;
  WEIR_ASSIGN(std::shared_ptr<const ReduceAxes> axes, infer_axes(call, 1, 2, &shape));
  call.result(DType::boolean, shape);
  call.body(reduce_body<bool, bool, Op>, axes);
  return Status();
}

}  // namespace

extern constinit const Kernel all_kernel{
    .name = "all",
    .params = kReductionParams,
    .infer = all_infer<All>,
    .doc =
        "Whether all entries are true, over an axis, a list of axes, or all axes. It is true if there are no entries.",
    .result = "bool; the shape without the axes, which stay as 1 with `keepdims`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(all([[true, false], [true, true]], axis: 1))",
    .output = "[false, true]",
    .bench = "all(b)"};

extern constinit const Kernel any_kernel{
    .name = "any",
    .params = kReductionParams,
    .infer = all_infer<Any>,
    .doc =
        "Whether any entry is true, over an axis, a list of axes, or all axes. It is false if there are no entries.",
    .result = "bool; the shape without the axes, which stay as 1 with `keepdims`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors(any([[true, false], [false, false]], axis: 1))",
    .output = "[true, false]",
    .bench = "any(b)"};

}  // namespace weir
