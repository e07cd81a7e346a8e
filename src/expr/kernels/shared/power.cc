#include "expr/kernels/shared/power.h"

#include <cmath>
#include <limits>

#include "expr/kernels/shared/math.h"

namespace weir::math {

namespace {

bool is_odd(float y) { return std::fabs(y) < 0x1p24f && std::fmod(y, 2.0f) != 0; }

}  // namespace

float pow(float x, float y) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return std::numeric_limits<float>::quiet_NaN();
  const bool whole = std::floor(y) == y;
  const bool negative = std::signbit(x) && whole && is_odd(y);
  const float size = std::fabs(x);
  if (size == 1)
    return whole ? (negative ? -1.0f : 1.0f) : (x > 0 ? 1.0f : std::numeric_limits<float>::quiet_NaN());
  if (size == 0 || std::isinf(size) || std::isinf(y)) {
    const bool grows = (size > 1) == (y > 0);
    const float result = grows ? kInfinity : 0.0f;
    return negative ? -result : result;
  }
  if (x < 0 && !whole) return std::numeric_limits<float>::quiet_NaN();
  const auto result = static_cast<float>(exp(static_cast<double>(y) * log(static_cast<double>(size))));
  return negative ? -result : result;
}

double pow(double x, double y) {
  return static_cast<double>(std::pow(static_cast<long double>(x), static_cast<long double>(y)));
}

}  // namespace weir::math
