// transpose(x, perm: none): the axes of x in another order.
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/strided.h"

namespace weir {

namespace {

struct Order : KernelState {
  // Reverses the axes, or takes them in this order.
  bool reversed = false;
  std::vector<int64_t> perm;
};

// The axis of `x` that each axis of the result comes from.
Result<std::vector<int>> order_for(const Order& order, int rank) {
  if (order.reversed) {
    std::vector<int> axes;
    for (int d = rank - 1; d >= 0; --d) axes.push_back(d);
    return axes;
  }
  if (order.perm.size() != static_cast<size_t>(rank)) {
    return invalid_argument(expected_found(concat("each of the ", rank, " axes once in perm"),
                                           concat(order.perm.size(), " of them")));
  }
  return resolve_axes(order.perm, rank);
}

Shape permuted(const Shape& shape, std::span<const int> axes) {
  Shape out = shape;
  for (size_t d = 0; d < axes.size(); ++d) out.set_dim(static_cast<int>(d), shape[axes[d]]);
  return out;
}

void transpose_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  Result<std::vector<int>> axes = order_for(run.state<Order>(), x.shape.rank());
  if (!axes.ok()) return fail_all(run, "transpose", axes.status());
  const Shape shape = permuted(x.shape, *axes);
  const RowMajor from(x.shape);
  StridedCopy copy;
  for (int axis : *axes) copy.add(x.shape[axis], from.step[axis]);
  if (uint8_t* out = run.make(0, shape)) copy.rows(run, x, out);
}

Status transpose_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  auto state = std::make_shared<Order>();
  state->reversed = !call.given(1);
  if (!state->reversed) {
    WEIR_ASSIGN(state->perm, read_axes(call, 1, from));
  }
  Shape shape = from;
  if (from.rank_known()) {
    Result<std::vector<int>> axes = order_for(*state, from.rank());
    if (!axes.ok()) return call.error(1, axes.status().error().what());
    shape = permuted(from, *axes);
  } else if (!state->reversed) {
    if (state->perm.size() > static_cast<size_t>(kMaxRank)) {
      return call.error(1, expected_found(concat("at most ", kMaxRank, " axes"), concat(state->perm.size())));
    }
    Result<std::vector<int>> axes = order_for(*state, static_cast<int>(state->perm.size()));
    if (!axes.ok()) return call.error(1, axes.status().error().what());
    shape = Shape(std::vector<int64_t>(axes->size(), kUnknownDim));
  }
  call.result(call.dtype(0), shape);
  call.set_can_fail(!from.rank_known() && !state->reversed);
  call.body(transpose_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel transpose_kernel{
    .name = "transpose",
    .params = {{.name = "x"},
               {.name = "perm",
                .kind = ParamKind::constant,
                .type = "int64",
                .fallback = "none",
                .doc = "The axis of `x` that each axis of the result comes from; none reverses them."}},
    .infer = transpose_infer,
    .doc =
        "Permutes the axes of `x`: reverses them, or puts them in the order of `perm`. Unlike tf.transpose, `perm` may count axes from the last by negative numbers.",
    .result = "The dtype of `x`, its dimensions in the new order.",
    .cost = "One copy, in tiles that stay in the cache.",
    .example = "from_tensors(transpose([[1, 2, 3], [4, 5, 6]]))",
    .output = "[[1, 4], [2, 5], [3, 6]]",
    .bench = "transpose(reshape(x, [28, 28]))",
    .can_fail = true};

}  // namespace weir
