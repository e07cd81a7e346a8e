// concat([a, b], axis: 0) and stack([a, b], axis: 0): tensors joined along an axis, or along a new one.
#include <cstring>

#include "core/text.h"
#include "expr/kernels/shared/array.h"
#include "expr/types/kernel.h"

namespace weir {

namespace {

struct JoinedAxis : KernelState {
  int axis = 0;
};

// Fills a result of `run`, whose rows consist of `outer` rounds through all arguments; in each round an
// argument gives the bytes of its row divided by `outer`.
void interleave(KernelRun& run, int64_t outer, uint8_t* out) {
  for (int i = 0; i < run.rows(); ++i) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int a = 0; a < run.arg_count(); ++a) {
        const Arg& arg = run.arg(a);
        const size_t bytes = arg.row_bytes() / static_cast<size_t>(outer);
        if (bytes == 0) continue;
        std::memcpy(out, arg.row<uint8_t>(i) + static_cast<size_t>(o) * bytes, bytes);
        out += bytes;
      }
    }
  }
}

int64_t extent_before(const Shape& shape, int axis) {
  int64_t outer = 1;
  for (int d = 0; d < axis; ++d) outer *= shape[d];
  return outer;
}

void fail_all(KernelRun& run, const Shape& a, const Shape& b) {
  Status status = invalid_argument(expected_found("shapes that agree but for the axis that is joined",
                                                  concat(a.to_string(), " and ", b.to_string())));
  for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
}

void concat_body(KernelRun& run) {
  const int axis = run.state<JoinedAxis>().axis;
  Shape shape = run.arg(0).shape;
  for (int a = 1; a < run.arg_count(); ++a) {
    const Shape& next = run.arg(a).shape;
    if (!(next.with_dim(axis, 0) == shape.with_dim(axis, 0))) return fail_all(run, shape, next);
    shape.set_dim(axis, shape[axis] + next[axis]);
  }
  uint8_t* out = run.make(0, shape);
  const int64_t outer = extent_before(shape, axis);
  if (out != nullptr && outer > 0) interleave(run, outer, out);
}

Shape with_axis(const Shape& shape, int axis, int64_t extent) {
  int64_t dims[kMaxRank];
  for (int d = 0; d <= shape.rank(); ++d) dims[d] = d < axis ? shape[d] : d == axis ? extent : shape[d - 1];
  return Shape(std::span<const int64_t>(dims, static_cast<size_t>(shape.rank() + 1)));
}

void stack_body(KernelRun& run) {
  const int axis = run.state<JoinedAxis>().axis;
  const Shape& shape = run.arg(0).shape;
  for (int a = 1; a < run.arg_count(); ++a) {
    if (!(run.arg(a).shape == shape)) return fail_all(run, shape, run.arg(a).shape);
  }
  uint8_t* out = run.make(0, with_axis(shape, axis, run.arg_count()));
  const int64_t outer = extent_before(shape, axis);
  if (out != nullptr && outer > 0) interleave(run, outer, out);
}

// Merges the members' shapes, dimension by dimension; `skip` is the axis that may differ, or -1.
Result<Shape> common_shape(KernelCall& call, int skip) {
  Shape shape = call.member(0, 0).shape;
  for (int m = 1; m < call.size(0); ++m) {
    const Shape& next = call.member(0, m).shape;
    bool fits = next.rank_known() && next.rank() == shape.rank();
    for (int d = 0; fits && d < shape.rank(); ++d) {
      if (d == skip) {
        const bool known = shape[d] >= 0 && next[d] >= 0;
        shape.set_dim(d, known ? shape[d] + next[d] : kUnknownDim);
      } else if (shape[d] < 0) {
        shape.set_dim(d, next[d]);
      } else {
        fits = next[d] < 0 || next[d] == shape[d];
      }
    }
    if (!fits) {
      return call.error(
          0, expected_found(concat("members whose shapes agree", skip < 0 ? "" : " but for the axis"),
                            concat(shape_text(call.member(0, 0).shape), " and ", shape_text(next),
                                   " (member ", m, ")")));
    }
  }
  return shape;
}

bool all_static(const KernelCall& call) {
  for (int m = 0; m < call.size(0); ++m) {
    if (!call.member(0, m).shape.is_static()) return false;
  }
  return true;
}

Status check_members(const KernelCall& call) {
  if (call.size(0) == 0) return call.error(0, "expected at least one member");
  for (int m = 0; m < call.size(0); ++m) {
    if (!call.member(0, m).shape.rank_known()) {
      return call.error(0, concat("expected members of known rank; reshape member ", m, " first"));
    }
  }
  return Status();
}

Status concat_infer(KernelCall& call) {
  WEIR_TRY(check_members(call));
  const int rank = call.member(0, 0).shape.rank();
  if (rank == 0) return call.error(0, "expected vectors or higher, found scalars; use stack, or a list");
  auto state = std::make_shared<JoinedAxis>();
  WEIR_ASSIGN(state->axis, call.axis(1, rank));
  WEIR_ASSIGN(const Shape shape, common_shape(call, state->axis));
  call.result(call.member(0, 0).dtype, shape);
  call.body(concat_body, std::move(state));
  call.set_can_fail(rank > 1 && !all_static(call));
  return Status();
}

Status stack_infer(KernelCall& call) {
  WEIR_TRY(check_members(call));
  const int rank = call.member(0, 0).shape.rank();
  if (rank == kMaxRank) return call.error(0, concat("expected at most ", kMaxRank - 1, " dimensions"));
  auto state = std::make_shared<JoinedAxis>();
  WEIR_ASSIGN(state->axis, call.axis(1, rank + 1, "result"));
  WEIR_ASSIGN(const Shape shape, common_shape(call, -1));
  call.result(call.member(0, 0).dtype, with_axis(shape, state->axis, call.size(0)));
  call.body(stack_body, std::move(state));
  call.set_can_fail(!all_static(call));
  return Status();
}

constexpr std::initializer_list<KernelParam> kConcatParams = {
    {.name = "values", .kind = ParamKind::list, .type = "T", .doc = "A list or tuple of tensors."},
    axis_param("0")};

}  // namespace

extern constinit const Kernel concat_kernel{
    .name = "concat",
    .params = kConcatParams,
    .infer = concat_infer,
    .doc =
        "Joins tensors of one dtype along an axis. Their other dimensions must agree; if that is not known when the dataset is built, a mismatch is an error of the element.",
    .result = "The members' dtype; the axis is as long as theirs together.",
    .cost = "One copy.",
    .example = "from_tensors(concat([[1, 2], [3]]))",
    .output = "[1, 2, 3]",
    .bench = "concat([x, x])",
    .can_fail = true};

extern constinit const Kernel stack_kernel{
    .name = "stack",
    .params = kConcatParams,
    .infer = stack_infer,
    .doc = "Stacks tensors of one dtype and shape along a new axis.",
    .result = "The members' dtype and one more dimension, the number of members.",
    .cost = "One copy.",
    .example = "from_tensors(stack([[1, 2], [3, 4]], axis: 1))",
    .output = "[[1, 3], [2, 4]]",
    .bench = "stack([x, x])",
    .can_fail = true};

}  // namespace weir
