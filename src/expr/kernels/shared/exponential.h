// expm1, log1p, tanh and sigmoid: one implementation for all block widths and instruction sets, as exp and
// log in math.h. float32 is computed in float64, so that it is within 0.6 units in the last place; float64
// within 2 units, tanh within 3.
#pragma once

#include <cmath>

#include "expr/kernels/shared/math.h"

namespace weir::math {

inline double expm1(double x) {
  using namespace detail;
  double a = x > 710.0 ? 710.0 : x;
  a = a < -40.0 ? -40.0 : a;
  const double n = (a * 1.4426950408889634074 + kRoundD) - kRoundD;
  const double r = (a - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  double p = exp_series(r);
  p = p * (r * r) + r;
  // 2^n (e^r - 1) + 2^n - 1, with 2^n taken out.
  const double less = 1.0 - power_of_two(n > 60.0 ? -60.0 : -n);
  const double half = (n * 0.5 + kRoundD) - kRoundD;
  const double y = (less + p) * power_of_two(half) * power_of_two(n - half);
  return x == 0.0 ? x : y;
}

inline double log1p(double x) {
  const double u = 1.0 + x;
  // What the addition lost.
  const double back = u - 1.0;
  const double lost = (1.0 - (u - back)) + (x - back);
  double y = math::log(u) + lost / u;
  y = u > 0.0 ? y : math::log(u);
  y = x < std::numeric_limits<double>::infinity() ? y : x;
  return x == 0.0 ? x : y;
}

inline double tanh(double x) {
  const double size = std::fabs(x);
  const double t = math::expm1(-2.0 * (size > 30.0 ? 30.0 : size));
  return std::copysign(-t / (t + 2.0), x);
}

inline double sigmoid(double x) {
  const double e = math::exp(-std::fabs(x));
  const double y = (x < 0.0 ? e : 1.0) / (1.0 + e);
  return x != x ? x : y;  // nan with its sign
}

// Next to 0 by the first terms of the series, since the difference would have too few bits.
inline float expm1(float x) {
  const double wide = x;
  const double near = wide * (1.0 + wide * (0.5 + wide * (1.0 / 6.0)));
  const double far = math::exp(wide) - 1.0;
  return static_cast<float>(std::fabs(wide) < 0x1p-12 ? near : far);
}

inline float log1p(float x) {
  const double wide = x;
  const double near = wide * (1.0 - wide * (0.5 - wide * (1.0 / 3.0)));
  const double far = math::log(1.0 + wide);
  return static_cast<float>(std::fabs(wide) < 0x1p-12 ? near : far);
}

inline float tanh(float x) {
  const double wide = x;
  const double clamped = wide > 30.0 ? 30.0 : wide;
  const double e = math::exp(2.0 * (clamped < -30.0 ? -30.0 : clamped));
  const double near = wide * (1.0 - wide * wide * (1.0 / 3.0));
  return static_cast<float>(std::fabs(wide) < 0x1p-9 ? near : (e - 1.0) / (e + 1.0));
}

inline float sigmoid(float x) {
  const double e = math::exp(-static_cast<double>(x));
  return x != x ? x : static_cast<float>(1.0 / (1.0 + e));
}

}  // namespace weir::math
