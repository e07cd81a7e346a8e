// Numbers as JSON writes them, from text to entries: every float is rounded to the nearest once, straight
// from its digits, and an integer is any number whose value is whole and fits: 3, 3.0, 1e2. Depends on no
// locale and allocates nothing. The caller has set the floating-point mode (core/float_mode.h).
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/dtype.h"

namespace weir {

// A number of the grammar of JSON.
struct JsonNumber {
  // With its sign.
  std::string_view text;
  // The digits without point and exponent as far as they are `exact`, and the power of ten that they are
  // multiplied by.
  uint64_t digits = 0;
  int64_t exponent = 0;
  bool negative = false;
  bool exact = true;
  // Without a point and without an exponent.
  bool plain = true;
};

// False if `at` is no number.
// REQUIRES: a byte that no number has follows, before `end`
bool scan_number(const char* at, const char* end, JsonNumber& out);

// False if it isn't whole, or doesn't fit; the absolute value.
bool whole_value(const JsonNumber& number, uint64_t& out);

void convert_number(const JsonNumber& number, double& out);
void convert_number(const JsonNumber& number, float& out);
void convert_number(const JsonNumber& number, Float16& out);
void convert_number(const JsonNumber& number, BFloat16& out);

template <class T>
requires std::is_integral_v<T>
bool convert_integer(const JsonNumber& number, T& out) {
  uint64_t value = number.digits;
  if (!number.plain || !number.exact) [[unlikely]] {
    if (!whole_value(number, value)) return false;
  }
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<T>::max());
  if (number.negative) {
    constexpr uint64_t kLeast = std::is_signed_v<T> ? kMost + 1 : 0;
    if (value > kLeast) return false;
    out = static_cast<T>(~value + 1);
    return true;
  }
  out = static_cast<T>(value);
  return value <= kMost;
}

}  // namespace weir
