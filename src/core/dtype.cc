#include "core/dtype.h"

#include <bit>
#include <cmath>

namespace weir {

namespace {

// Each dtype stands at the index of its number.
constexpr bool in_order() {
  size_t number = 0;
  for (const DTypeInfo& info : kDTypes) {
    if (static_cast<size_t>(info.dtype) != number++) return false;
  }
  return true;
}
static_assert(in_order());

// Rounds a double to binary16 once, so that float64 values are not rounded twice.
uint16_t half_bits(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  double magnitude = std::fabs(value);
  if (magnitude >= 65520.0) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x1p-14) {
    // Subnormal: a multiple of 2^-24; nearbyint rounds to even in the default mode.
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24)));
  }
  int exponent;
  double fraction = std::frexp(magnitude, &exponent);                        // in [0.5, 1)
  auto mantissa = static_cast<uint32_t>(std::nearbyint(fraction * 2048.0));  // 1024..2048
  uint32_t bits = (static_cast<uint32_t>(exponent - 1 + 15) << 10) + (mantissa - 1024);
  return static_cast<uint16_t>(sign | bits);
}

}  // namespace

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    const bool written = info.dtype != DType::invalid && info.dtype != DType::dataset;
    if (written && info.name == name) return info.dtype;
  }
  return std::nullopt;
}

float to_float(Float16 value) {
  uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  uint32_t exponent = (value.bits >> 10) & 0x1f;
  uint32_t mantissa = value.bits & 0x3ff;
  if (exponent == 0) {
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  uint32_t wide = exponent == 31 ? 0xff : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

float to_float(BFloat16 value) { return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16); }

Float16 to_float16(float value) { return {half_bits(value)}; }
Float16 to_float16(double value) { return {half_bits(value)}; }

BFloat16 to_bfloat16(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return {static_cast<uint16_t>((bits >> 16) | 0x40)};
  bits += 0x7fff + ((bits >> 16) & 1);
  return {static_cast<uint16_t>(bits >> 16)};
}

}  // namespace weir
