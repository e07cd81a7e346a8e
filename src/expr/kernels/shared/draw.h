// Draws of one row: floats and integers, each from [low, high). What a row draws depends only on the key of
// the call (seed, call site, cursor), the row's ordinal and the position of the draw.
//
//   const Philox philox = row_philox(run, i);
//   const float factor = draw_between(philox, 0, low, high);
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/philox.h"
#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/kernel.h"

namespace weir {

// Philox under the call's key, with the row's ordinal as the upper half of the counter.
inline Philox row_philox(const KernelRun& run, int row) {
  return Philox(run.random_key(), static_cast<uint64_t>(run.ordinal(row)));
}

// From [0, 1), as in TensorFlow: random bits as the mantissa of a number from [1, 2).
inline float unit_float(uint32_t bits) { return std::bit_cast<float>((bits & 0x7fffff) | 0x3f800000) - 1.0f; }
inline double unit_double(uint32_t high, uint32_t low) {
  return std::bit_cast<double>((uint64_t{high & 0xfffff} | 0x3ff00000) << 32 | low) - 1.0;
}

// An integer from [0, range), all equally likely, by Lemire's multiplication of 64 random bits. The few
// values that would be more likely than others are drawn again, from blocks that no first draw of another
// position uses.
// REQUIRES: range > 0, position < 2^48
inline uint64_t draw_below(const Philox& philox, uint64_t position, uint64_t bits, uint64_t range) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(bits) * range;
  if (static_cast<uint64_t>(product) < range) [[unlikely]] {
    const uint64_t threshold = (0 - range) % range;
    for (uint64_t attempt = 1; static_cast<uint64_t>(product) < threshold; ++attempt) {
      const Philox::Block again = philox.block(attempt << 48 | position);
      product = static_cast<Wide>(uint64_t{again[1]} << 32 | again[0]) * range;
    }
  }
  return static_cast<uint64_t>(product >> 64);
}

// The same with the bits of that position.
inline uint64_t draw_below(const Philox& philox, uint64_t position, uint64_t range) {
  const Philox::Block bits = philox.block(position / 2);
  const size_t at = position % 2 * 2;
  return draw_below(philox, position, uint64_t{bits[at + 1]} << 32 | bits[at], range);
}

// A float from [low, high), or `low` if they are equal.
inline float draw_between(const Philox& philox, uint64_t position, float low, float high) {
  const float unit = unit_float(philox.block(position / 4)[position % 4]);
  const float value = unit * (high - low) + low;
  // Rounding must not give the upper bound itself.
  return value < high ? value : low < high ? std::nextafter(high, low) : low;
}

// The last parameter of functions that draw.
inline constexpr KernelParam kSeedParam = {
    .name = "seed",
    .kind = ParamKind::seed,
    .fallback = "none",
    .doc = "Fixes the draws: n, or the pair (a, b); none draws a seed when the dataset is built."};

}  // namespace weir
