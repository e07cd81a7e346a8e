// argmax and argmin along one axis: the position of the first extreme entry.
#include "core/text.h"
#include "expr/elementwise.h"
#include "expr/infer.h"

namespace weir {

namespace {

struct Axis : KernelState {
  int axis = 0;
};

struct Greater {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct Less {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};

// Entries are `step` apart. A nan is chosen only if there is nothing else.
template <class T, class Before>
int64_t position(const T* in, int64_t count, int64_t step) {
  int64_t best = 0;
  Compute<T> value = load(in[0]);
  for (int64_t k = 1; k < count; ++k) {
    const Compute<T> next = load(in[k * step]);
    if (Before()(next, value) || (value != value && next == next)) {
      best = k;
      value = next;
    }
  }
  return best;
}

template <class T, class Before>
void body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const int axis = run.state<Axis>().axis;
  int64_t dims[kMaxRank];
  int rank = 0;
  int64_t outer = 1;
  int64_t inner = 1;
  for (int d = 0; d < x.shape.rank(); ++d) {
    if (d == axis) continue;
    dims[rank++] = x.shape[d];
    (d < axis ? outer : inner) *= x.shape[d];
  }
  const int64_t extent = x.shape[axis];
  if (extent == 0 && outer * inner > 0) {
    Status status = invalid_argument("expected at least one entry along the axis, found none");
    for (int i = 0; i < run.rows(); ++i) run.fail(i, status);
    return;
  }
  int64_t* out = run.make<int64_t>(0, Shape(std::span<const int64_t>(dims, static_cast<size_t>(rank))));
  if (out == nullptr) return;
  for (int i = 0; i < run.rows(); ++i) {
    const T* in = x.row<T>(i);
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t j = 0; j < inner; ++j)
        *out++ = position<T, Before>(in + o * extent * inner + j, extent, inner);
    }
  }
}

template <class Before>
Status infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  if (!from.rank_known()) return call.error(0, "expected a tensor of known rank; reshape it first");
  WEIR_ASSIGN(const int axis, call.axis(1, from.rank()));
  if (from[axis] == 0) return call.error(0, "expected at least one entry along the axis, found none");
  auto state = std::make_shared<Axis>();
  state->axis = axis;
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() { call.body(body<T, Before>, state); });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  int64_t dims[kMaxRank];
  int rank = 0;
  for (int d = 0; d < from.rank(); ++d) {
    if (d != axis) dims[rank++] = from[d];
  }
  call.result(DType::int64, Shape(std::span<const int64_t>(dims, static_cast<size_t>(rank))));
  call.set_can_fail(from[axis] < 0);
  return Status();
}

std::vector<KernelParam> params() {
  return {{.name = "x"},
          {.name = "axis",
           .kind = ParamKind::constant,
           .type = "int64",
           .fallback = "0",
           .doc = "The axis; negative counts from the last."}};
}

}  // namespace

const Kernel& argmax_kernel() {
  static const Kernel def{
      .name = "argmax",
      .params = params(),
      .infer = infer<Greater>,
      .doc =
          "The position of the greatest entry along an axis, the first of equals. nan is passed over. No entries to choose from are an error of the element.",
      .result = "int64; the shape of `x` without the axis.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors(argmax([3, 9, 9]))",
      .output = "1",
      .bench = "argmax(x)",
      .can_fail = true};
  return def;
}

const Kernel& argmin_kernel() {
  static const Kernel def{
      .name = "argmin",
      .params = params(),
      .infer = infer<Less>,
      .doc =
          "The position of the least entry along an axis, the first of equals. nan is passed over. No entries to choose from are an error of the element.",
      .result = "int64; the shape of `x` without the axis.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors(argmin([3, 1, 1]))",
      .output = "1",
      .bench = "argmin(x)",
      .can_fail = true};
  return def;
}

}  // namespace weir
