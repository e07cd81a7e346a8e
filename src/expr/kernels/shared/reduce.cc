#include "expr/kernels/shared/reduce.h"

namespace weir {

Shape ReduceAxes::result(const Shape& shape) const {
  int rank = 0;
  int64_t dims[kMaxRank];
  for (int d = 0; d < shape.rank(); ++d) {
    if (!has(d)) {
      dims[rank++] = shape[d];
    } else if (keepdims) {
      dims[rank++] = 1;
    }
  }
  return Shape(std::span<const int64_t>(dims, static_cast<size_t>(rank)));
}

Result<std::shared_ptr<const ReduceAxes>> infer_axes(KernelCall& call, int axis, int keepdims, Shape* shape) {
  auto state = std::make_shared<ReduceAxes>();
  if (keepdims >= 0) {
    WEIR_ASSIGN(state->keepdims, call.flag(keepdims));
  }
  state->all = !call.given(axis);
  const Shape& from = call.shape(0);
  if (!from.rank_known()) {
    if (!state->all) {
      return call.error(0,
                        "expected a tensor of known rank to reduce along some of its axes; reshape it first");
    }
    *shape = state->keepdims ? Shape::unknown_rank() : Shape();
    return std::shared_ptr<const ReduceAxes>(std::move(state));
  }
  WEIR_ASSIGN(const std::vector<int> axes, call.axes(axis, from.rank()));
  for (int a : axes) state->reduced[static_cast<size_t>(a)] = true;
  *shape = state->result(from);
  return std::shared_ptr<const ReduceAxes>(std::move(state));
}

ReducePlan plan_reduction(const Shape& shape, const ReduceAxes& axes) {
  ReducePlan plan;
  ReducePass pass;
  bool open = false;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    if (axes.has(d)) {
      plan.reduced *= shape[d];
      pass.extent *= shape[d];
      open = true;
      continue;
    }
    if (open) {
      plan.passes[static_cast<size_t>(plan.count++)] = pass;
      pass.extent = 1;
      open = false;
    }
    pass.inner *= shape[d];
  }
  if (open || plan.count == 0) plan.passes[static_cast<size_t>(plan.count++)] = pass;
  // What lies outside a pass: the entries of all axes before it, reduced later or never.
  int d = shape.rank() - 1;
  for (int i = 0; i < plan.count; ++i) {
    while (d >= 0 && !axes.has(d)) --d;
    while (d >= 0 && axes.has(d)) --d;
    int64_t outer = 1;
    for (int e = 0; e <= d; ++e) outer *= shape[e];
    plan.passes[static_cast<size_t>(i)].outer = outer;
  }
  return plan;
}

}  // namespace weir
