// [a, b]: a list of tensors of one dtype and shape, stacked along a new first dimension.
#include <cstring>

#include "core/text.h"
#include "expr/kernels/shared/check.h"

namespace weir {

namespace {

Status differ(const Shape& a, const Shape& b) {
  return invalid_argument(
      concat("the members of a list differ in shape: ", shape_text(a), " and ", shape_text(b)));
}

void list_body(KernelRun& run) {
  const int members = run.arg_count();
  const Arg& first = run.arg(0);
  for (int i = 1; i < members; ++i) {
    if (run.arg(i).shape == first.shape) continue;
    const Status status = differ(first.shape, run.arg(i).shape);
    for (int row = 0; row < run.rows(); ++row) run.fail(row, status);
    return;
  }
  uint8_t* out = run.make(0, first.shape.prepended(members));
  const size_t bytes = first.row_bytes();
  if (out == nullptr || bytes == 0) return;
  for (int row = 0; row < run.rows(); ++row) {
    for (int i = 0; i < members; ++i) {
      std::memcpy(out, run.arg(i).row<uint8_t>(row), bytes);
      out += bytes;
    }
  }
}

Status list_infer(KernelCall& call) {
  if (call.size(0) == 0) return call.error("expected members");
  Shape shape = call.member(0, 0).shape;
  bool can_fail = false;
  for (int i = 0; i < call.size(0); ++i) {
    const Component& member = call.member(0, i);
    if (!member.shape.compatible(shape)) {
      return call.error(differ(shape, member.shape).error().what());
    }
    can_fail = can_fail || !member.shape.is_static();
    shape = Shape::relax(shape, member.shape);
  }
  if (shape.rank_known() && shape.rank() == kMaxRank)
    return call.error(concat("expected at most ", kMaxRank, " dimensions"));
  if (shape.rank_known() && shape.rank() == 0) {
    if (auto entries = call.integers(0)) call.known_integers(*std::move(entries));
  }
  call.result(call.member(0, 0).dtype, shape.prepended(call.size(0)));
  call.body(list_body);
  call.set_can_fail(can_fail);
  return Status();
}

}  // namespace

extern constinit const Kernel list_kernel{
    .name = "[]",
    .params = {{.name = "members", .kind = ParamKind::list, .type = "T"}},
    .infer = list_infer,
    .doc = "Stacks a list of tensors of one dtype and shape into one tensor.",
    .result = "The members' dtype, and their shape after a new first dimension.",
    .cost = "One copy.",
    .example = "range(2) | map(x -> [x, x * x])",
    .output = "[0, 0]\n[1, 1]",
    .bench = "[x, x]"};

}  // namespace weir
