// standardize(x): each image shifted and scaled to a mean of 0 and a standard deviation of 1.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/elementwise.h"
#include "expr/kernels/shared/image.h"

namespace weir {

namespace {

constexpr const char* kStandardize = "standardize";
// Floats are summed in so many lanes, for so many entries; the sums are then added as float64.
constexpr int64_t kLanes = 32;
constexpr int64_t kChunk = 2048;

struct AsFloat {
  template <class T>
  float operator()(T value) const {
    return static_cast<float>(value);
  }
};

struct Deviation {
  float operator()(float value, float mean) const { return (value - mean) * (value - mean); }
};
struct Value {
  float operator()(float value, float) const { return value; }
};

// The sum of f(entry, mean).
template <class F>
[[gnu::always_inline]] inline double sum_loop(const float* entries, int64_t count, float mean) {
  double total = 0.0;
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t end = std::min(count, begin + kChunk);
    std::array<float, kLanes> lanes{};
    int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        lanes[static_cast<size_t>(lane)] += F()(entries[i + lane], mean);
      }
    }
    for (; i < end; ++i) total += static_cast<double>(F()(entries[i], mean));
    for (const float lane : lanes) total += static_cast<double>(lane);
  }
  return total;
}
template <class F>
[[gnu::noinline]] double sum_baseline(const float* entries, int64_t count, float mean) {
  return sum_loop<F>(entries, count, mean);
}
template <class F>
[[gnu::noinline]] WEIR_TARGET_AVX2 double sum_avx2(const float* entries, int64_t count, float mean) {
  return sum_loop<F>(entries, count, mean);
}
template <class F>
double sum(const float* entries, int64_t count, float mean) {
  if (cpu_level() >= CpuLevel::avx2) return sum_avx2<F>(entries, count, mean);
  return sum_baseline<F>(entries, count, mean);
}

[[gnu::always_inline]] inline void shift_loop(const float* in, float* out, int64_t count, float mean,
                                              float deviation) {
  for (int64_t i = 0; i < count; ++i) out[i] = (in[i] - mean) / deviation;
}
[[gnu::noinline]] void shift_baseline(const float* in, float* out, int64_t count, float mean,
                                      float deviation) {
  shift_loop(in, out, count, mean, deviation);
}
[[gnu::noinline]] WEIR_TARGET_AVX2 void shift_avx2(const float* in, float* out, int64_t count, float mean,
                                                   float deviation) {
  shift_loop(in, out, count, mean, deviation);
}

// `in` may be `out`.
void standardize(const float* in, float* out, int64_t count) {
  const auto number = static_cast<double>(count);
  const auto mean = static_cast<float>(sum<Value>(in, count, 0.0f) / number);
  const auto found = static_cast<float>(std::sqrt(sum<Deviation>(in, count, mean) / number));
  // A flat image must not be divided by zero. NaN stays.
  const float least = 1.0f / std::sqrt(static_cast<float>(count));
  const float deviation = found < least ? least : found;
  if (cpu_level() >= CpuLevel::avx2) return shift_avx2(in, out, count, mean, deviation);
  shift_baseline(in, out, count, mean, deviation);
}

template <class T>
void standardize_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  if (x.shape.rank() < 3) {
    return fail_all(run, kStandardize,
                    invalid_argument(expected_found("an image [height, width, channels]",
                                                    concat("a tensor of rank ", x.shape.rank()))));
  }
  float* out = run.make<float>(0, x.shape);
  if (out == nullptr) return;
  const int axis = height_axis(x.shape);
  const int64_t count = x.shape[axis] * x.shape[axis + 1] * x.shape[axis + 2];
  const int64_t row_count = x.shape.count();
  for (int i = 0; i < run.rows(); ++i) {
    const T* row = x.row<T>(i);
    for (int64_t done = 0; done < row_count; done += count, out += count) {
      if constexpr (std::is_same_v<T, float>) {
        standardize(row + done, out, count);
      } else {
        elementwise::map_entries<T, float, AsFloat>(row + done, out, count);
        standardize(out, out, count);
      }
    }
  }
}

Status standardize_infer(KernelCall& call) {
  const Shape& shape = call.shape(0);
  const bool known = visit<Reals>(call.dtype(0), [&]<class T>() { call.body(standardize_body<T>); });
  if (!known) return wrong_dtype(call, 0, "an image of integers or floats");
  if (shape.rank_known() && shape.rank() < 3) {
    return call.error(0, expected_found("an image [height, width, channels]",
                                        concat("a tensor of shape ", shape_text(shape))));
  }
  call.result(DType::float32, shape);
  call.set_can_fail(!shape.rank_known());
  return Status();
}

}  // namespace

extern constinit const Kernel standardize_kernel{
    .name = kStandardize,
    .params = {{.name = "x",
                .doc =
                    "An image [height, width, channels] of any integer or float dtype; of more dimensions, "
                    "each image by itself."}},
    .infer = standardize_infer,
    .doc =
        "Scales an image to mean 0 and standard deviation 1, as tf.image.per_image_standardization. The divisor is at least 1/√N for N entries, so that a flat image gives zeros.",
    .result = "float32, of the same shape.",
    .cost = "Three vectorised passes over the entries, one more for other dtypes than float32.",
    .example = "from_tensors(standardize([[[1.0], [2.0], [3.0], [2.0]]]))",
    .output = "[[[-1.4142135], [0.0], [1.4142135], [0.0]]]",
    .bench = "standardize(reshape(x, [28, 28, 1]))",
    .can_fail = true};

}  // namespace weir
