// reverse(x, axis): the entries in the opposite order along some axes.
#include <algorithm>

#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/strided.h"

namespace weir {

namespace {

struct ReverseAxes : KernelState {
  std::vector<int64_t> axes;
};

void reverse_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  Result<std::vector<int>> axes = resolve_axes(run.state<ReverseAxes>().axes, x.shape.rank());
  if (!axes.ok()) return fail_all(run, "reverse", axes.status());
  uint8_t* out = run.make(0, x.shape);
  if (out == nullptr) return;
  const RowMajor from(x.shape);
  StridedCopy copy;
  int64_t offset = 0;
  for (int d = 0; d < x.shape.rank(); ++d) {
    const bool reversed = std::find(axes->begin(), axes->end(), d) != axes->end();
    if (reversed) offset = wrap::add(offset, wrap::multiply(x.shape[d] - 1, from.step[d]));
    copy.add(x.shape[d], reversed ? wrap::subtract(int64_t{0}, from.step[d]) : from.step[d]);
  }
  copy.set_offset(offset);
  copy.rows(run, x, out);
}

Status reverse_infer(KernelCall& call) {
  auto state = std::make_shared<ReverseAxes>();
  WEIR_ASSIGN(state->axes, read_axes(call, 1, call.shape(0)));
  call.result(call.dtype(0), call.shape(0));
  call.set_can_fail(!call.shape(0).rank_known());
  call.body(reverse_body, std::move(state));
  return Status();
}

}  // namespace

extern constinit const Kernel reverse_kernel{
    .name = "reverse",
    .params = {{.name = "x"},
               axis_param(nullptr, "An axis or a list of axes; negative counts from the last.")},
    .infer = reverse_infer,
    .doc = "Reverses the order of the entries of `x` along the given axes.",
    .result = "The dtype and shape of `x`.",
    .cost = "One copy.",
    .example = "from_tensors(reverse([[1, 2, 3], [4, 5, 6]], -1))",
    .output = "[[3, 2, 1], [6, 5, 4]]",
    .bench = "reverse(x, 0)",
    .can_fail = true};

}  // namespace weir
