// expand_dims(x, axis) and squeeze(x, axis: none): insert and remove dimensions of 1. No bytes move.
#include "core/text.h"
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/reduce.h"

namespace weir {

namespace {

struct Place : KernelState {
  int axis = 0;
};

Shape expanded(const Shape& shape, int axis) {
  int64_t dims[kMaxRank];
  for (int d = 0; d <= shape.rank(); ++d) dims[d] = d < axis ? shape[d] : d == axis ? 1 : shape[d - 1];
  return Shape(std::span<const int64_t>(dims, static_cast<size_t>(shape.rank() + 1)));
}

void expand_body(KernelRun& run) { run.share(0, 0, expanded(run.arg(0).shape, run.state<Place>().axis)); }

Status expand_infer(KernelCall& call) {
  const Shape& shape = call.shape(0);
  if (!shape.rank_known()) return call.error(0, "expected a tensor of known rank; reshape it first");
  if (shape.rank() == kMaxRank)
    return call.error(0, concat("expected at most ", kMaxRank - 1, " dimensions"));
  auto state = std::make_shared<Place>();
  WEIR_ASSIGN(state->axis, call.axis(1, shape.rank() + 1, "result"));
  call.result(call.dtype(0), expanded(shape, state->axis));
  call.body(expand_body, std::move(state));
  return Status();
}

// Removes the axes listed, or all of extent 1.
Result<Shape> squeezed(const Shape& shape, const ReduceAxes& axes) {
  int64_t dims[kMaxRank];
  size_t rank = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    if (axes.all ? shape[d] == 1 : axes.has(d)) {
      if (shape[d] == 1 || shape[d] == kUnknownDim) continue;
      return invalid_argument(concat("cannot squeeze the axis ", d, " of a tensor of shape ",
                                     shape.to_string(), ": expected an extent of 1"));
    }
    dims[rank++] = shape[d];
  }
  return Shape(std::span<const int64_t>(dims, rank));
}

void squeeze_body(KernelRun& run) {
  Result<Shape> shape = squeezed(run.arg(0).shape, run.state<ReduceAxes>());
  if (shape.ok()) return run.share(0, 0, *shape);
  for (int i = 0; i < run.rows(); ++i) run.fail(i, shape.status());
}

Status squeeze_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  auto state = std::make_shared<ReduceAxes>();
  state->all = !call.given(1);
  Shape shape = Shape::unknown_rank();
  if (!state->all) {
    if (!from.rank_known()) return call.error(0, "expected a tensor of known rank; reshape it first");
    WEIR_ASSIGN(const std::vector<int> axes, call.axes(1, from.rank()));
    // As in TensorFlow: an empty list means all.
    state->all = axes.empty();
    for (int axis : axes) state->reduced[static_cast<size_t>(axis)] = true;
  }
  if (!state->all || from.is_static()) {
    Result<Shape> known = squeezed(from, *state);
    if (!known.ok()) return call.error(1, known.status().error().what());
    shape = *known;
  }
  call.result(call.dtype(0), shape);
  call.set_can_fail(!state->all && !from.is_static());
  call.body(squeeze_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel expand_dims_kernel{
    .name = "expand_dims",
    .params = {{.name = "x"},
               axis_param(nullptr, "The index of the new dimension in the result; -1 is last.")},
    .infer = expand_infer,
    .doc = "Inserts a dimension of size 1 at `axis`.",
    .result = "The dtype of `x`, one more dimension.",
    .cost = "Moves no bytes.",
    .example = "from_tensors(expand_dims([1, 2], -1))",
    .output = "[[1], [2]]",
    .bench = "expand_dims(x, 0)"};

extern constinit const Kernel squeeze_kernel{
    .name = "squeeze",
    .params = {{.name = "x"}, axis_param("none", "An axis or a list of axes; none means all that are 1.")},
    .infer = squeeze_infer,
    .doc =
        "Removes dimensions of size 1: the given ones, or all. Another dimension that is given is an error.",
    .result = "The dtype of `x`, fewer dimensions.",
    .cost = "Moves no bytes.",
    .example = "from_tensors(squeeze([[[1, 2]]]))",
    .output = "[1, 2]",
    .bench = "squeeze(expand_dims(x, 0))",
    .can_fail = true};

}  // namespace weir
