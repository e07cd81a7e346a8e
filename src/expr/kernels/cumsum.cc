// cumsum(x, axis: 0, exclusive: false, reverse: false): the sums of the entries up to each place along an axis.
#include "expr/infer.h"
#include "expr/wrap.h"

namespace weir {

namespace {

struct Scan : KernelState {
  int axis = 0;
  bool exclusive = false;
  bool reverse = false;
};

// Scans `extent` lines of `width` entries, one after the other in memory; `in` and `out` begin at the first line of
// the scan, and `step` leads to the next. Each sum is rounded to T, as if it were added up one by one.
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
void body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const auto& state = run.state<Scan>();
  T* out = run.make<T>(0, x.shape);
  if (out == nullptr) return;
  int64_t outer = 1;
  int64_t inner = 1;
  for (int d = 0; d < state.axis; ++d) outer *= x.shape[d];
  for (int d = state.axis + 1; d < x.shape.rank(); ++d) inner *= x.shape[d];
  const int64_t extent = x.shape[state.axis];
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

Status infer(KernelCall& call) {
  const Shape& from = call.shape(0);
  if (!from.rank_known()) return call.error(0, "expected a tensor of known rank; reshape it first");
  auto state = std::make_shared<Scan>();
  WEIR_ASSIGN(state->axis, call.axis(1, from.rank()));
  WEIR_ASSIGN(state->exclusive, call.flag(2));
  WEIR_ASSIGN(state->reverse, call.flag(3));
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() { call.body(body<T>, state); });
  if (!known) return wrong_dtype(call, 0, "an integer or float dtype");
  call.result(call.dtype(0), from);
  return Status();
}

}  // namespace

const Kernel& cumsum_kernel() {
  static const Kernel def{
      .name = "cumsum",
      .params = {{.name = "x"},
                 {.name = "axis",
                  .kind = ParamKind::constant,
                  .type = "int64",
                  .fallback = "0",
                  .doc = "The axis; negative counts from the last."},
                 {.name = "exclusive",
                  .kind = ParamKind::constant,
                  .type = "bool",
                  .fallback = "false",
                  .doc = "Leave out the entry at the place itself, so that the first sum is 0."},
                 {.name = "reverse",
                  .kind = ParamKind::constant,
                  .type = "bool",
                  .fallback = "false",
                  .doc = "Begin with the last entry."}},
      .infer = infer,
      .doc =
          "The sums of the entries from the first up to each place along an axis. Integers wrap; floats are added one by one and rounded each time.",
      .result = "The dtype and shape of `x`.",
      .cost = "One pass over the entries.",
      .example = "from_tensors(cumsum([1, 2, 3]))",
      .output = "[1, 3, 6]",
      .bench = "cumsum(x)"};
  return def;
}

}  // namespace weir
