// broadcast_to(x, shape): x repeated along new dimensions and those of 1, as NumPy broadcasts.
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/broadcast.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/kernels/shared/strided.h"

namespace weir {

namespace {

Status mismatch(const Shape& from, const Shape& to) {
  return invalid_argument(expected_found("a shape that x broadcasts to",
                                         concat(shape_text(to), " for x of shape ", shape_text(from))));
}

bool fits(const Shape& from, const Shape& to) {
  const std::optional<Shape> broad = broadcast(from, to);
  return broad && *broad == to;
}

StridedCopy copy_to(const Shape& from, const Shape& to) {
  const Strides strides = broadcast_strides(from, to);
  StridedCopy copy;
  for (int d = 0; d < to.rank(); ++d) copy.add(to[d], strides.step[d]);
  return copy;
}

void broadcast_to_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const Arg& dims = run.arg(1);
  if (same_in_all_rows(run, dims)) {
    Result<Shape> shape = shape_from(entries_of(dims, 0));
    if (!shape.ok()) return fail_all(run, "broadcast_to", shape.status());
    if (!fits(x.shape, *shape)) return fail_all(run, "broadcast_to", mismatch(x.shape, *shape));
    if (*shape == x.shape) return run.share(0, 0, *shape);
    if (uint8_t* out = run.make(0, *shape)) copy_to(x.shape, *shape).rows(run, x, out);
    return;
  }
  const size_t size = dtype_size(x.dtype);
  for (int i = 0; i < run.rows(); ++i) {
    Result<Shape> shape = shape_from(entries_of(dims, i));
    if (!shape.ok()) {
      fail_row(run, i, "broadcast_to", shape.status());
    } else if (!fits(x.shape, *shape)) {
      fail_row(run, i, "broadcast_to", mismatch(x.shape, *shape));
    } else if (uint8_t* out = run.make_row(0, i, *shape)) {
      copy_to(x.shape, *shape).copy(x.row<uint8_t>(i), out, size);
    }
  }
}

Status broadcast_to_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  WEIR_ASSIGN(const Shape to, shape_from(call, 1));
  bool may_fail = true;
  if (from.rank_known() && to.rank_known()) {
    const std::optional<Shape> broad = broadcast(from, to);
    bool fits = broad && broad->rank() == to.rank();
    for (int d = 0; fits && d < to.rank(); ++d) fits = to[d] < 0 || (*broad)[d] < 0 || (*broad)[d] == to[d];
    if (!fits) return call.error(1, mismatch(from, to).error().what());
    may_fail = !from.is_static() || !to.is_static();
  }
  call.result(call.dtype(0), to);
  call.body(broadcast_to_body);
  call.set_can_fail(may_fail);
  return Status();
}

}  // namespace

extern constinit const Kernel broadcast_to_kernel{
    .name = "broadcast_to",
    .params = {{.name = "x"}, {.name = "shape", .type = "int64", .doc = "The dimensions of the result."}},
    .infer = broadcast_to_infer,
    .doc =
        "Broadcasts `x` to a given shape. It is repeated along dimensions that it lacks and along those where it has 1. A shape that `x` does not broadcast to is an error.",
    .result = "The dtype of `x` and the given shape.",
    .cost = "One copy; operators broadcast by themselves without any.",
    .example = "from_tensors(broadcast_to([[1], [2]], [2, 3]))",
    .output = "[[1, 1, 1], [2, 2, 2]]",
    .bench = "broadcast_to(x, [4, 784])",
    .can_fail = true};

}  // namespace weir
