// split(x, n, axis: 0) and unstack(x, axis: 0): a tuple of parts of x along an axis. Along the first axis no
// bytes move.
#include <algorithm>

#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/strided.h"

namespace weir {

namespace {

struct SplitParts : KernelState {
  int64_t axis = 0;
  int64_t count = 0;
  // Whether the axis is left out of the parts, which are then of 1 along it.
  bool unstacked = false;
};

// More would exceed the limit on the parts of a structure.
constexpr int64_t kMostParts = kMaxParts - 1;

Status uneven(int64_t extent, int64_t count) {
  return invalid_argument(concat("cannot split a dimension of ", extent, " into ", count, " equal parts"));
}

const char* function_of(const SplitParts& parts) { return parts.unstacked ? "unstack" : "split"; }

// REQUIRES: the extent of the axis is known and divides
Shape part_of(const SplitParts& parts, const Shape& shape, int axis) {
  if (parts.unstacked) return *spliced(shape, axis, axis + 1, {});
  return shape.with_dim(axis, shape[axis] / parts.count);
}

void split_body(KernelRun& run) {
  const auto& parts = run.state<SplitParts>();
  const Arg& x = run.arg(0);
  Result<int> resolved = resolve_axis(parts.axis, x.shape.rank());
  if (!resolved.ok()) return fail_all(run, function_of(parts), resolved.status());
  const int axis = *resolved;
  const int64_t extent = x.shape[axis];
  if (extent % parts.count != 0 || (parts.unstacked && extent != parts.count)) {
    return fail_all(run, function_of(parts), uneven(extent, parts.count));
  }
  const Shape shape = part_of(parts, x.shape, axis);
  const int64_t width = wrap::multiply(extent / parts.count, extent_of(x.shape, axis + 1, x.shape.rank()));
  const int64_t outer = extent_of(x.shape, 0, axis);
  const size_t size = dtype_size(x.dtype);
  for (int64_t p = 0; p < parts.count; ++p) {
    if (outer == 1) {
      run.share(static_cast<int>(p), 0, shape, static_cast<size_t>(p) * static_cast<size_t>(width) * size);
      continue;
    }
    StridedCopy copy;
    copy.add(outer, wrap::multiply(width, parts.count));
    copy.add(width, 1);
    copy.set_offset(wrap::multiply(p, width));
    if (uint8_t* out = run.make(static_cast<int>(p), shape)) copy.rows(run, x, out);
  }
}

Status finish(KernelCall& call, const Shape& part, std::shared_ptr<const SplitParts> parts) {
  const auto count = static_cast<size_t>(parts->count);
  call.result(Spec::tuple(std::vector<Spec>(count, Spec::tensor(call.dtype(0), part))));
  if (count > 0) call.body(split_body, std::move(parts));
  return Status();
}

Status split_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  auto parts = std::make_shared<SplitParts>();
  WEIR_ASSIGN(parts->count, call.integer(1));
  if (parts->count < 1 || parts->count > kMostParts) {
    return call.error(1, expected_found(concat("from 1 to ", kMostParts, " parts"), concat(parts->count)));
  }
  WEIR_ASSIGN(parts->axis, read_axis(call, 2, from));
  if (!from.rank_known()) return finish(call, from, std::move(parts));
  const auto axis = static_cast<int>(parts->axis);
  const int64_t extent = from[axis];
  if (extent >= 0 && extent % parts->count != 0) {
    return call.error(1, uneven(extent, parts->count).error().what());
  }
  call.set_can_fail(extent < 0);
  const Shape part = extent < 0 ? from : part_of(*parts, from, axis);
  return finish(call, part, std::move(parts));
}

Status unstack_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  if (!from.rank_known()) return call.error(0, "expected a tensor of known rank; reshape it first");
  auto parts = std::make_shared<SplitParts>();
  parts->unstacked = true;
  WEIR_ASSIGN(const int axis, call.axis(1, from.rank()));
  parts->axis = axis;
  parts->count = from[axis];
  if (parts->count < 0) {
    return call.error(
        0, {concat("the number of parts must be known when the dataset is built, but x is of shape ",
                   from.to_string()),
            "ensure_shape(x, shape) makes it known"});
  }
  if (parts->count > kMostParts) {
    return call.error(0, expected_found(concat("at most ", kMostParts, " parts"), concat(parts->count)));
  }
  call.set_can_fail(false);
  const Shape part = part_of(*parts, from, axis);
  return finish(call, part, std::move(parts));
}

}  // namespace

extern constinit const Kernel split_kernel{
    .name = "split",
    .params = {{.name = "x"},
               {.name = "n", .kind = ParamKind::constant, .type = "int64", .doc = "The number of parts."},
               axis_param("0")},
    .infer = split_infer,
    .doc =
        "Splits `x` into a tuple of `n` equal parts along an axis. A dimension that `n` does not divide is an error. Unlike tf.split, `n` is a number, not a list of lengths.",
    .result = "A tuple of tensors of the dtype of `x`; the axis is shorter by the factor `n`.",
    .cost = "Moves no bytes along the first axis, else one copy.",
    .example = "from_tensors(split([1, 2, 3, 4], 2))",
    .output = "([1, 2], [3, 4])",
    .bench = "split(reshape(x, [28, 28]), 2, axis: 1)",
    .can_fail = true};

extern constinit const Kernel unstack_kernel{
    .name = "unstack",
    .params = {{.name = "x"}, axis_param("0")},
    .infer = unstack_infer,
    .doc =
        "Splits `x` along an axis into a tuple of tensors without that axis. The length of the axis must be known when the dataset is built.",
    .result = "A tuple of tensors of the dtype of `x`, without the axis.",
    .cost = "Moves no bytes along the first axis, else one copy.",
    .example = "from_tensors(unstack([[1, 2], [3, 4]]))",
    .output = "([1, 2], [3, 4])",
    .bench = "unstack(reshape(x, [28, 28]))"};

}  // namespace weir
