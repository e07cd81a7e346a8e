// cumsum(x, axis: 0, exclusive: false, reverse: false): the sums of the entries up to each place along an
// axis.
#include <algorithm>

#include "core/text.h"
#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/wrap.h"

namespace weir {

namespace {

struct Scan : KernelState {
  // Counts from the last if negative.
  int64_t axis = 0;
  bool exclusive = false;
  bool reverse = false;
};

// Scans `extent` lines of `width` entries, one after the other in memory; `in` and `out` begin at the first
// line of the scan, and `step` leads to the next. Each sum is rounded to T, as if it were added up one by
// one.
template <class T>
void scan(const T* in, T* out, int64_t extent, int64_t width, int64_t step, bool exclusive) {
  const auto add = [](T a, T b) { return store<T>(wrap::add(load(a), load(b))); };
  if (width == 1) {
    T sum = store<T>(Compute<T>{0});
    for (int64_t k = 0; k < extent; ++k) {
      const T with = k == 0 && !exclusive ? in[0] : add(sum, in[k * step]);
      out[k * step] = exclusive ? sum : with;
      sum = with;
    }
    return;
  }
  if (exclusive) {
    for (int64_t j = 0; j < width; ++j) out[j] = store<T>(Compute<T>{0});
  } else {
    std::copy_n(in, width, out);
  }
  for (int64_t k = 1; k < extent; ++k) {
    const T* before = out;
    const T* more = exclusive ? in : in + step;
    in += step;
    out += step;
    for (int64_t j = 0; j < width; ++j) out[j] = add(before[j], more[j]);
  }
}

template <class T>
void cumsum_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const auto& state = run.state<Scan>();
  const int rank = x.shape.rank();
  if (state.axis < -rank || state.axis >= rank) {
    const Status status = invalid_argument(
        concat("cumsum: the axis ", state.axis, " is out of range for a tensor of rank ", rank));
    for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
    return;
  }
  T* out = run.make<T>(0, x.shape);
  if (out == nullptr) return;
  const int axis = static_cast<int>(state.axis < 0 ? state.axis + rank : state.axis);
  int64_t outer = 1;
  int64_t inner = 1;
  for (int d = 0; d < axis; ++d) outer *= x.shape[d];
  for (int d = axis + 1; d < rank; ++d) inner *= x.shape[d];
  const int64_t extent = x.shape[axis];
  const int64_t block = extent * inner;
  if (block == 0) return;
  const int64_t first = state.reverse ? block - inner : 0;
  const int64_t step = state.reverse ? -inner : inner;
  for (int i = 0; i < run.rows(); ++i) {
    const T* in = x.row<T>(i);
    for (int64_t o = 0; o < outer; ++o, in += block, out += block) {
      scan(in + first, out + first, extent, inner, step, state.exclusive);
    }
  }
}

Status cumsum_infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  auto state = std::make_shared<Scan>();
  if (from.rank_known()) {
    WEIR_ASSIGN(state->axis, call.axis(1, from.rank()));
  } else {
    WEIR_ASSIGN(state->axis, call.integer(1));
  }
  WEIR_ASSIGN(state->exclusive, call.flag(2));
  WEIR_ASSIGN(state->reverse, call.flag(3));
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() { call.body(cumsum_body<T>, state); });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  call.result(call.dtype(0), from);
  call.set_can_fail(!from.rank_known());
  return Status();
}

}  // namespace

extern constinit const Kernel cumsum_kernel{
    .name = "cumsum",
    .params = {{.name = "x"},
               axis_param("0"),
               {.name = "exclusive",
                .kind = ParamKind::constant,
                .type = "bool",
                .fallback = "false",
                .doc = "Leave each entry out of its own sum, so that the first sum is 0."},
               {.name = "reverse",
                .kind = ParamKind::constant,
                .type = "bool",
                .fallback = "false",
                .doc = "Begin with the last entry."}},
    .infer = cumsum_infer,
    .doc =
        "Running sums along an axis. Entry i is the sum of the entries up to i. Integers wrap; floats are added one by one and rounded each time. Integers and floats only.",
    .result = "The dtype and shape of `x`.",
    .cost = "One pass over the entries.",
    .example = "from_tensors(cumsum([1, 2, 3]))",
    .output = "[1, 3, 6]",
    .bench = "cumsum(x)",
    .can_fail = true};

}  // namespace weir
