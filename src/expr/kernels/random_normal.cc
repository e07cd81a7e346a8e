// random_normal(shape, mean: 0, stddev: 1, dtype: float32, seed: none): independent draws from a normal
// distribution, by the transform of Box and Muller. What is drawn depends only on key, ordinal and position.
#include <algorithm>
#include <cmath>

#include "core/cpu.h"
#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/draw.h"
#include "expr/kernels/shared/math.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/kernels/shared/trig.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

// As many pairs of draws as are computed together.
constexpr int64_t kPairs = 128;

// Uniform numbers, and the normal ones that each pair of them gives.
struct Chunk {
  double radius[kPairs];
  double turn[kPairs];
  double first[kPairs];
  double second[kPairs];
};

[[gnu::always_inline]] inline void transform_loop(Chunk& chunk) {
  for (int64_t k = 0; k < kPairs; ++k) {
    const double radius = std::sqrt(-2.0 * math::log(chunk.radius[k]));
    const double shifted = chunk.turn[k] * 4.0 + math::detail::kWhole;
    const double rest = chunk.turn[k] * 4.0 - (shifted - math::detail::kWhole);
    const math::Angle angle{rest * 0x1.921fb54442d18p+0, 0.0, std::bit_cast<uint64_t>(shifted)};
    chunk.first[k] = radius * math::cos(1.0, angle);
    chunk.second[k] = radius * math::sin(1.0, angle);
  }
}
[[gnu::noinline]] void transform_baseline(Chunk& chunk) { transform_loop(chunk); }
[[gnu::noinline]] WEIR_TARGET_AVX2 void transform_avx2(Chunk& chunk) { transform_loop(chunk); }

// The numbers of one pair come from 64 random bits, those of a float64 pair from 128. None is 0.
template <class T>
void draw_pairs(const Philox& philox, int64_t first, int64_t pairs, Chunk& chunk) {
  const auto from_32 = [](uint32_t bits) { return unit_double(bits >> 12, bits << 20) + 0x1p-33; };
  const auto from_64 = [](uint32_t a, uint32_t b) { return unit_double(a, b) + 0x1p-53; };
  if constexpr (sizeof(T) == sizeof(double)) {
    for (int64_t k = 0; k < pairs; ++k) {
      const Philox::Block bits = philox.block(static_cast<uint64_t>(first + k));
      chunk.radius[k] = from_64(bits[0], bits[1]);
      chunk.turn[k] = from_64(bits[2], bits[3]);
    }
  } else {
    for (int64_t k = 0; k < pairs; k += 2) {
      const Philox::Block bits = philox.block(static_cast<uint64_t>(first + k) / 2);
      chunk.radius[k] = from_32(bits[0]);
      chunk.turn[k] = from_32(bits[1]);
      chunk.radius[k + 1] = from_32(bits[2]);
      chunk.turn[k + 1] = from_32(bits[3]);
    }
  }
}

template <class T>
void fill_row(const Philox& philox, double mean, double stddev, int64_t count, T* out) {
  const auto scaled = [&](double draw) { return store<T>(static_cast<Compute<T>>(draw * stddev + mean)); };
  Chunk chunk;
  std::fill_n(chunk.radius, kPairs, 1.0);
  std::fill_n(chunk.turn, kPairs, 0.0);
  for (int64_t first = 0; 2 * first < count; first += kPairs) {
    const int64_t left = count - 2 * first;
    const int64_t pairs = std::min(kPairs, (left + 1) / 2);
    draw_pairs<T>(philox, first, pairs, chunk);
    if (cpu_level() >= CpuLevel::avx2) {
      transform_avx2(chunk);
    } else {
      transform_baseline(chunk);
    }
    T* to = out + 2 * first;
    for (int64_t k = 0; k < pairs; ++k) {
      to[2 * k] = scaled(chunk.first[k]);
      if (2 * k + 1 < left) to[2 * k + 1] = scaled(chunk.second[k]);
    }
  }
}

template <class T>
void random_normal_body(KernelRun& run) {
  const auto fill = [&](int first, int rows, int64_t count, uint8_t* out) {
    for (int i = first; i < first + rows; ++i) {
      const auto mean = static_cast<double>(load(*run.arg(1).row<T>(i)));
      const auto stddev = static_cast<double>(load(*run.arg(2).row<T>(i)));
      T* to = reinterpret_cast<T*>(out) + (i - first) * count;
      fill_row(row_philox(run, i), mean, stddev, count, to);
    }
  };
  make_shaped(run, run.arg(0), fill);
}

Status random_normal_infer(KernelCall& call) {
  WEIR_TRY(check_scalar(call, 1, "mean"));
  WEIR_TRY(check_scalar(call, 2, "stddev"));
  WEIR_ASSIGN(const Shape shape, shape_from(call, 0));
  const DType dtype = call.dtype_value(3);
  const bool known = visit<Floats>(dtype, [&]<class T>() { call.body(random_normal_body<T>); });
  if (!known) return call.error(3, expected_found("a float dtype", dtype_name(dtype)));
  call.result(dtype, shape);
  call.set_can_fail(!shape.is_static());
  return Status();
}

}  // namespace

extern constinit const Kernel random_normal_kernel{
    .name = "random_normal",
    .params = {{.name = "shape", .type = "int64", .doc = "The dimensions: an integer or a vector."},
               {.name = "mean", .type = "dtype", .fallback = "0", .doc = "The mean."},
               {.name = "stddev", .type = "dtype", .fallback = "1", .doc = "The standard deviation."},
               {.name = "dtype", .kind = ParamKind::dtype, .fallback = "float32"},
               kSeedParam},
    .infer = random_normal_infer,
    .doc =
        "Random numbers from a normal distribution. They are floats, computed in float64 and rounded, with the same bits on every machine. An element's draws depend on the seed, the place of the call, the epoch and the element's number, never on blocks or threads.",
    .result = "The given dtype and shape.",
    .cost =
        "One hash for four draws, one for two of float64, and a logarithm, a sine and a cosine for two draws.",
    .example = "range(2) | map(x -> random_normal([2], mean: 10.0, seed: 1))",
    .output = "[9.469852, 10.026376]\n[10.103732, 10.963216]",
    .bench = "random_normal([784], seed: 1)",
    .can_fail = true,
    .draws = true};

}  // namespace weir
