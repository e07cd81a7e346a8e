// sin, cos and tan: one implementation for all block widths and instruction sets, with the same bits
// everywhere.
//
//   math::Angle angle = math::reduce(x);               // plain operations, which the compiler vectorises
//   if (math::needs_exact(x, angle)) angle = math::reduce_exactly(x);   // rare
//   y = math::sin(angle);
//
// float32 is computed in float64, so that it is within 0.6 units in the last place; float64 within 1 unit,
// its tangent within 2.5. Infinities give nan.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace weir::math {

// What is left of an angle beyond the nearest multiple of pi / 2: from -pi / 4 to pi / 4, as a sum of two
// numbers.
struct Angle {
  double rest;
  double low;
  // The multiple; only the last two bits count.
  uint64_t quarters;
};

namespace detail {

inline constexpr double kQuarterTurns = 0x1.45f306dc9c883p-1;  // 2 / pi
inline constexpr double kWhole = 0x1.8p52;
// pi / 2 in three parts, the first two of 33 bits, so that multiples of them are exact.
inline constexpr double kHalfPiA = 0x1.921fb544p+0;
inline constexpr double kHalfPiB = 0x1.0b4611a6p-34;
inline constexpr double kHalfPiC = 0x1.3198a2e037073p-69;
// From here on multiples of these parts would not be exact.
inline constexpr double kFar = 0x1p19;
// Where less is left than this, too many bits have gone.
inline constexpr double kLittle = 0x1p-30;

}  // namespace detail

inline Angle reduce(double x) {
  using namespace detail;
  const double shifted = x * kQuarterTurns + kWhole;
  const double n = shifted - kWhole;
  const double first = x - n * kHalfPiA;
  const double second = n * kHalfPiB;
  const double rest = first - second;
  // What that subtraction lost.
  const double back = rest - first;
  const double lost = (first - (rest - back)) - (second + back);
  const double low = lost - n * kHalfPiC;
  const double sum = rest + low;
  return {sum, (rest - sum) + low, std::bit_cast<uint64_t>(shifted)};
}

inline bool needs_exact(double x, const Angle& angle) {
  const double size = std::fabs(x);
  return (size > detail::kFar) | ((size > 0.5) & (std::fabs(angle.rest) < detail::kLittle));
}

// For every finite number, by integer arithmetic with as many digits of 2 / pi as it takes.
Angle reduce_exactly(double x);

namespace detail {

// Polynomials as in fdlibm.
inline double sin_near(double x, double low) {
  const double z = x * x;
  const double cube = z * x;
  double p = 1.58969099521155010221e-10;
  p = p * z - 2.50507602534068634195e-08;
  p = p * z + 2.75573137070700676789e-06;
  p = p * z - 1.98412698298579493134e-04;
  p = p * z + 8.33333333332248946124e-03;
  return x - ((z * (0.5 * low - cube * p) - low) + cube * 1.66666666666666324348e-01);
}
inline double cos_near(double x, double low) {
  const double z = x * x;
  double p = -1.13596475577881948265e-11;
  p = p * z + 2.08757232129817482790e-09;
  p = p * z - 2.75573143513906633035e-07;
  p = p * z + 2.48015872894767294178e-05;
  p = p * z - 1.38888888888741095749e-03;
  p = p * z + 4.16666666666666019037e-02;
  const double half = 0.5 * z;
  const double top = 1.0 - half;
  return top + (((1.0 - top) - half) + (z * z * p - x * low));
}
// For results rounded to float32.
inline double sin_near(double x) {
  const double z = x * x;
  double p = 0x1.6cd878c3b46a7p-19;
  p = p * z - 0x1.a00f9e2cae774p-13;
  p = p * z + 0x1.11110896efbb2p-7;
  p = p * z - 0x1.5555554cbac77p-3;
  return x + x * z * p;
}
inline double cos_near(double x) {
  const double z = x * x;
  double p = 0x1.99342e0ee5069p-16;
  p = p * z - 0x1.6c087e80f1e27p-10;
  p = p * z + 0x1.55553e1053a42p-5;
  p = p * z - 0x1.ffffffd0c5e81p-2;
  return 1.0 + z * p;
}

template <class T>
struct Near {
  double sin, cos;
};
template <class T>
Near<T> near(const Angle& angle) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return {sin_near(angle.rest), cos_near(angle.rest)};
  } else {
    return {sin_near(angle.rest, angle.low), cos_near(angle.rest, angle.low)};
  }
}

inline double signed_by(double value, uint64_t bit) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) ^ bit << 63);
}

}  // namespace detail

// T: float or double, the dtype of x and of the result.
template <class T>
T sin(T x, const Angle& angle) {
  const auto near = detail::near<T>(angle);
  const double value = (angle.quarters & 1) != 0 ? near.cos : near.sin;
  const T out = static_cast<T>(detail::signed_by(value, angle.quarters >> 1 & 1));
  return x == T(0) ? x : out;
}
template <class T>
T cos(T, const Angle& angle) {
  const auto near = detail::near<T>(angle);
  const double value = (angle.quarters & 1) != 0 ? near.sin : near.cos;
  return static_cast<T>(detail::signed_by(value, (angle.quarters + 1) >> 1 & 1));
}
template <class T>
T tan(T x, const Angle& angle) {
  const auto near = detail::near<T>(angle);
  const bool odd = (angle.quarters & 1) != 0;
  const double over = odd ? near.cos : near.sin;
  const double under = odd ? -near.sin : near.cos;
  const T out = static_cast<T>(over / under);
  return x == T(0) ? x : out;
}

}  // namespace weir::math
