// exp and log: one implementation for all block widths and instruction sets, of plain operations without
// branches or calls, which the compiler vectorises. Compiled without contraction, so that every level gives
// the same bits. Correct within 1.5 units in the last place when rounding to nearest; out of range gives 0,
// inf, -inf or nan as in IEEE 754. An entry costs about 1 ns for float32 and 3 ns for float64.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace weir::math {

namespace detail {

// Added and then subtracted, these round to an integer, which then lies in the low bits.
inline constexpr float kRoundF = 0x1.8p23f;
inline constexpr double kRoundD = 0x1.8p52;

// 2^k for a whole k from -126 to 127 (-1022 to 1023).
inline float power_of_two(float k) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(k + (0x1p23f + 127.0f)) << 23);
}
inline double power_of_two(double k) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(k + (0x1p52 + 1023.0)) << 52);
}

// (e^r - 1 - r) / r^2 for r from -ln(2)/2 to ln(2)/2.
inline double exp_series(double r) {
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  return p * r + 0.5;
}

}  // namespace detail

inline float exp(float x) {
  using namespace detail;
  // Beyond these the result is inf or 0 anyway; nan passes.
  float a = x > 90.0f ? 90.0f : x;
  a = a < -105.0f ? -105.0f : a;
  const float n = (a * 1.44269504f + kRoundF) - kRoundF;
  // ln 2 in two parts, the first of so few bits that n times it is exact.
  const float r = (a - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = (p * (r * r) + r) + 1.0f;
  // Two factors, so that subnormal results and those next to inf are rounded once.
  const float half = (n * 0.5f + kRoundF) - kRoundF;
  return p * power_of_two(half) * power_of_two(n - half);
}

inline double exp(double x) {
  using namespace detail;
  double a = x > 710.0 ? 710.0 : x;
  a = a < -750.0 ? -750.0 : a;
  const double n = (a * 1.4426950408889634074 + kRoundD) - kRoundD;
  const double r = (a - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  double p = exp_series(r);
  p = (p * (r * r) + r) + 1.0;
  const double half = (n * 0.5 + kRoundD) - kRoundD;
  return p * power_of_two(half) * power_of_two(n - half);
}

inline float log(float x) {
  // x = 2^e * m with m from sqrt(1/2) to sqrt(2); subnormals are scaled first.
  constexpr uint32_t kRootHalf = 0x3f3504f3;
  const bool tiny = x < std::numeric_limits<float>::min();
  const float scaled = tiny ? x * 0x1p23f : x;
  const uint32_t shifted = std::bit_cast<uint32_t>(scaled) - kRootHalf;
  const float e = static_cast<float>(static_cast<int32_t>(shifted) >> 23) - (tiny ? 23.0f : 0.0f);
  const float f = std::bit_cast<float>((shifted & 0x7fffff) + kRootHalf) - 1.0f;
  const float z = f * f;
  float p = 7.0376836292e-2f;
  p = p * f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  float y = p * f * z - e * 2.12194440e-4f;
  y = (f + (y - 0.5f * z)) + e * 0.693359375f;
  y = x < std::numeric_limits<float>::infinity() ? y : x;  // inf and nan
  y = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  return x == 0.0f ? -std::numeric_limits<float>::infinity() : y;
}

inline double log(double x) {
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd;
  const bool tiny = x < std::numeric_limits<double>::min();
  const double scaled = tiny ? x * 0x1p52 : x;
  // The exponent counted from that of 2^-1075, so that it is not negative, and read as the low bits of a
  // double.
  const uint64_t shifted = std::bit_cast<uint64_t>(scaled) - kRootHalf + (uint64_t{1075} << 52);
  const double biased = std::bit_cast<double>((shifted >> 52) | 0x4330000000000000) - 0x1p52;
  const double e = biased - (tiny ? 1127.0 : 1075.0);
  const double f = std::bit_cast<double>((shifted & 0xfffffffffffff) + kRootHalf) - 1.0;
  // log(1 + f) by s = f / (2 + f), as in fdlibm.
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 1.479819860511658591e-01;
  p = p * z + 1.531383769920937332e-01;
  p = p * z + 1.818357216161805012e-01;
  p = p * z + 2.222219843214978396e-01;
  p = p * z + 2.857142874366239149e-01;
  p = p * z + 3.999999999940941908e-01;
  p = p * z + 6.666666666666735130e-01;
  const double half = 0.5 * f * f;
  double y =
      e * 6.93147180369123816490e-01 - ((half - (s * (half + p * z) + e * 1.90821492927058770002e-10)) - f);
  y = x < std::numeric_limits<double>::infinity() ? y : x;
  y = x < 0.0 ? std::numeric_limits<double>::quiet_NaN() : y;
  return x == 0.0 ? -std::numeric_limits<double>::infinity() : y;
}

}  // namespace weir::math
