// variance and std over some or all axes, of the population: the mean of the squared distances from the mean.
// The mean comes first, then the distances, both by the trees of reduce.h and in float64, so that nothing is
// lost where the mean is large.
#include <cmath>
#include <memory>

#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/reduce.h"

namespace weir {

namespace {

struct DoubleSum {
  using Acc = double;
  static constexpr bool kHasIdentity = true;
  static double identity() { return 0.0; }
  static double combine(double a, double b) { return a + b; }
  template <class R>
  static R finish(double value, int64_t) {
    return value;
  }
};

template <class T>
double squared_distance(T value, double mean) {
  const double distance = static_cast<double>(load(value)) - mean;
  return distance * distance;
}

// The sum of the squared distances of adjacent entries from their mean.
template <class T>
[[gnu::noinline]] double distances(const T* in, int64_t count, double mean) {
  if (count > reduce::kLeaf) {
    const int64_t half = reduce::left_half(count, reduce::kLeaf);
    return distances(in, half, mean) + distances(in + half, count - half, mean);
  }
  double squares[reduce::kLeaf];
  for (int64_t k = 0; k < count; ++k) squares[k] = squared_distance(in[k], mean);
  return reduce::fold<DoubleSum>(squares, count);
}

// The same for each of `width` columns of `count` rows, `step` entries apart.
template <class T>
[[gnu::noinline]] void column_distances(const T* in, int64_t count, int64_t step, int64_t width,
                                        const double* means, double* out) {
  if (count > reduce::kColumnLeaf) {
    double right[reduce::kTile];
    const int64_t half = reduce::left_half(count, reduce::kColumnLeaf);
    column_distances(in, half, step, width, means, out);
    column_distances(in + half * step, count - half, step, width, means, right);
    for (int64_t j = 0; j < width; ++j) out[j] += right[j];
    return;
  }
  for (int64_t j = 0; j < width; ++j) out[j] = squared_distance(in[j], means[j]);
  for (int64_t k = 1; k < count; ++k) {
    for (int64_t j = 0; j < width; ++j) out[j] += squared_distance(in[k * step + j], means[j]);
  }
}

// Where variances go.
template <class T>
struct VarianceSink {
  T* out;
  bool root;
  void operator()(int64_t k, double value) const {
    out[k] = store<T>(static_cast<Compute<T>>(root ? std::sqrt(value) : value));
  }
};

// Adjacent axes: calls sink(place, variance) for every place of the result.
template <class T>
void one_pass(const ReducePass& pass, int64_t outer, const T* in, const VarianceSink<T>& sink) {
  const double count = static_cast<double>(pass.extent);
  if (pass.extent == 0) {
    for (int64_t k = 0; k < outer * pass.inner; ++k) sink(k, 0.0 / count);
    return;
  }
  if (pass.inner == 1) {
    for (int64_t o = 0; o < outer; ++o) {
      const T* from = in + o * pass.extent;
      sink(o, distances(from, pass.extent, reduce::fold<DoubleSum>(from, pass.extent) / count) / count);
    }
    return;
  }
  for (int64_t o = 0; o < outer; ++o) {
    const T* from = in + o * pass.extent * pass.inner;
    for (int64_t j = 0; j < pass.inner; j += reduce::kTile) {
      const int64_t width = std::min(reduce::kTile, pass.inner - j);
      double means[reduce::kTile];
      double sums[reduce::kTile];
      reduce::fold_columns<DoubleSum>(from + j, pass.extent, pass.inner, width, means);
      for (int64_t k = 0; k < width; ++k) means[k] /= count;
      column_distances(from + j, pass.extent, pass.inner, width, means, sums);
      for (int64_t k = 0; k < width; ++k) sink(o * pass.inner + j + k, sums[k] / count);
    }
  }
}

// Axes with others between them: the distances of one row are written down first.
template <class T>
void many_passes(const ReducePlan& plan, const Shape& shape, const ReduceAxes& axes, const T* in,
                 const VarianceSink<T>& sink) {
  const int64_t count = shape.count();
  ReduceAxes kept = axes;
  kept.keepdims = true;
  const Shape reduced = kept.result(shape);
  const int64_t places = reduced.count();
  const auto means = std::make_unique<double[]>(static_cast<size_t>(places));
  const auto squares = std::make_unique<double[]>(static_cast<size_t>(count));
  reduce::run_plan<T, double, DoubleSum>(plan, 1, in, means.get());
  for (int64_t k = 0; k < places; ++k) means[static_cast<size_t>(k)] /= static_cast<double>(plan.reduced);
  const Strides strides = broadcast_strides(reduced, shape);
  int64_t at[kMaxRank] = {};
  for (int64_t k = 0; k < count; ++k) {
    int64_t place = 0;
    for (int d = 0; d < shape.rank(); ++d) place += at[d] * strides.step[d];
    squares[static_cast<size_t>(k)] = squared_distance(in[k], means[static_cast<size_t>(place)]);
    for (int d = shape.rank() - 1; d >= 0 && ++at[d] == shape[d]; --d) at[d] = 0;
  }
  const auto sums = std::make_unique<double[]>(static_cast<size_t>(places));
  reduce::run_plan<double, double, DoubleSum>(plan, 1, squares.get(), sums.get());
  for (int64_t k = 0; k < places; ++k)
    sink(k, sums[static_cast<size_t>(k)] / static_cast<double>(plan.reduced));
}

template <class T>
void variances(KernelRun& run, bool root) {
  const Arg& x = run.arg(0);
  const auto& axes = run.state<ReduceAxes>();
  const ReducePlan plan = plan_reduction(x.shape, axes);
  const Shape shape = axes.result(x.shape);
  T* out = run.make<T>(0, shape);
  if (out == nullptr) return;
  const ReducePass& pass = plan.passes[0];
  if (plan.count == 1 && is_flat(run, x))
    return one_pass(pass, run.rows() * pass.outer, x.row<T>(0), VarianceSink<T>{out, root});
  for (int i = 0; i < run.rows(); ++i, out += shape.count()) {
    const VarianceSink<T> put = {out, root};
    if (plan.count == 1) {
      one_pass(pass, pass.outer, x.row<T>(i), put);
    } else {
      many_passes(plan, x.shape, axes, x.row<T>(i), put);
    }
  }
}

template <class T, bool kRoot>
void variance_body(KernelRun& run) {
  variances<T>(run, kRoot);
}

template <bool kRoot>
Status variance_infer(KernelCall& call) {
  WEIR_TRY(check_float(call, 0));
  Shape shape;
  WEIR_ASSIGN(std::shared_ptr<const ReduceAxes> axes, infer_axes(call, 1, 2, &shape));
  visit<Floats>(call.dtype(0), [&]<class T>() { call.body(variance_body<T, kRoot>, axes); });
  call.result(call.dtype(0), shape);
  return Status();
}

}  // namespace

extern constinit const Kernel std_kernel{
    .name = "std",
    .params = kReductionParams,
    .infer = variance_infer<true>,
    .doc =
        "The standard deviation over an axis, a list of axes, or all axes; nan if there are no entries. It is that of the population, the square root of the variance. Floats only; computed in float64.",
    .result = "The dtype of `x`; the shape without the axes, which stay as 1 with `keepdims`.",
    .cost =
        "Two vectorised passes over the entries; axes that are not adjacent take memory for a copy of a row.",
    .example = "from_tensors(std([[1.0, 5.0], [3.0, 5.0]], axis: 0))",
    .output = "[1.0, 0.0]",
    .bench = "std(x)"};

extern constinit const Kernel variance_kernel{
    .name = "variance",
    .params = kReductionParams,
    .infer = variance_infer<false>,
    .doc =
        "The variance over an axis, a list of axes, or all axes; nan if there are no entries. It is that of the population, the mean of the squared distances from the mean. Floats only; computed in float64.",
    .result = "The dtype of `x`; the shape without the axes, which stay as 1 with `keepdims`.",
    .cost =
        "Two vectorised passes over the entries; axes that are not adjacent take memory for a copy of a row.",
    .example = "from_tensors(variance([[1.0, 5.0], [3.0, 6.0]], axis: 0))",
    .output = "[1.0, 0.25]",
    .bench = "variance(x)"};

}  // namespace weir
