// cos, sin and tan of angles in radians. A vectorised pass computes all entries; those that are far from 0 or
// very near to a multiple of pi / 2 are then computed again.
#include "expr/kernels/shared/trig.h"

#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

struct Cos {
  template <class T>
  T operator()(T x, const math::Angle& angle) const {
    return math::cos(x, angle);
  }
};

struct Sin {
  template <class T>
  T operator()(T x, const math::Angle& angle) const {
    return math::sin(x, angle);
  }
};

struct Tan {
  template <class T>
  T operator()(T x, const math::Angle& angle) const {
    return math::tan(x, angle);
  }
};

// Returns whether some entry must be computed again.
template <class T, class F>
[[gnu::always_inline]] inline bool quick_loop(const T* __restrict in, T* __restrict out, int64_t count) {
  uint64_t again = 0;
  for (int64_t k = 0; k < count; ++k) {
    const Compute<T> x = load(in[k]);
    const math::Angle angle = math::reduce(static_cast<double>(x));
    again |= math::needs_exact(static_cast<double>(x), angle) ? uint64_t{1} : uint64_t{0};
    out[k] = store<T>(F()(x, angle));
  }
  return again != 0;
}
template <class T, class F>
[[gnu::noinline]] bool quick_baseline(const T* in, T* out, int64_t count) {
  return quick_loop<T, F>(in, out, count);
}
template <class T, class F>
[[gnu::noinline]] WEIR_TARGET_AVX2 bool quick_avx2(const T* in, T* out, int64_t count) {
  return quick_loop<T, F>(in, out, count);
}

template <class T, class F>
void compute(const T* in, T* out, int64_t count) {
  const bool wide = elementwise::has_wide_loops<T> && cpu_level() >= CpuLevel::avx2;
  if (!(wide ? quick_avx2<T, F>(in, out, count) : quick_baseline<T, F>(in, out, count))) return;
  for (int64_t k = 0; k < count; ++k) {
    const Compute<T> x = load(in[k]);
    const auto exact = static_cast<double>(x);
    if (!math::needs_exact(exact, math::reduce(exact))) continue;
    out[k] = store<T>(F()(x, math::reduce_exactly(exact)));
  }
}

template <class T, class F>
void trig_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  T* out = run.make<T>(0, x.shape);
  if (out == nullptr) return;
  const int64_t count = x.shape.count();
  if (is_flat(run, x)) return compute<T, F>(x.row<T>(0), out, count * run.rows());
  for (int i = 0; i < run.rows(); ++i) compute<T, F>(x.row<T>(i), out + i * count, count);
}

template <class F>
Status trig_infer(KernelCall& call) {
  WEIR_TRY(check_float(call, 0));
  visit<Floats>(call.dtype(0), [&]<class T>() { call.entry_body(trig_body<T, F>); });
  call.result(call.dtype(0), call.shape(0));
  return Status();
}

}  // namespace

extern constinit const Kernel cos_kernel{
    .name = "cos",
    .params = {{.name = "x"}},
    .infer = trig_infer<Cos>,
    .doc =
        "The cosine of each entry, in radians. It is within 0.6 units in the last place, 1 for float64, for entries of any size; nan for infinities. Floats only; gives the same bits on every machine.",
    .result = "The dtype and shape of `x`.",
    .cost = "One vectorised pass over the entries; entries above 500,000 take some 50 ns each.",
    .example = "from_tensors(cos([0.0, 1.0]))",
    .output = "[1.0, 0.5403023]",
    .bench = "cos(x)"};

extern constinit const Kernel sin_kernel{
    .name = "sin",
    .params = {{.name = "x"}},
    .infer = trig_infer<Sin>,
    .doc =
        "The sine of each entry, in radians. It is within 0.6 units in the last place, 1 for float64, for entries of any size; nan for infinities. Floats only; gives the same bits on every machine.",
    .result = "The dtype and shape of `x`.",
    .cost = "One vectorised pass over the entries; entries above 500,000 take some 50 ns each.",
    .example = "from_tensors(sin([0.0, 1.0]))",
    .output = "[0.0, 0.84147096]",
    .bench = "sin(x)"};

extern constinit const Kernel tan_kernel{
    .name = "tan",
    .params = {{.name = "x"}},
    .infer = trig_infer<Tan>,
    .doc =
        "The tangent of each entry, in radians. It is within 0.6 units in the last place, 2.5 for float64, for entries of any size; nan for infinities. Floats only; gives the same bits on every machine.",
    .result = "The dtype and shape of `x`.",
    .cost = "One vectorised pass over the entries; entries above 500,000 take some 50 ns each.",
    .example = "from_tensors(tan([0.0, 1.0]))",
    .output = "[0.0, 1.5574077]",
    .bench = "tan(x)"};

}  // namespace weir
