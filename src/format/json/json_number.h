// Numbers as JSON writes them, from text to entries: every float is rounded to the nearest once, straight
// from its digits, and an integer is any number whose value is whole and fits: 3, 3.0, 1e2. Depends on no
// locale and allocates nothing. The caller has set the floating-point mode (core/float_mode.h). No `text` is
// empty.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "core/dtype.h"

namespace weir {

namespace json_number {

constexpr uint64_t kEachByte = 0x0101010101010101;

// The number that eight digits make, bytes from 0 to 9 of which the first in memory counts most.
inline uint64_t join_digits(uint64_t digits) {
  // Pairs, then fours, then all eight.
  digits = digits * 10 + (digits >> 8);
  return ((digits & 0x000000ff000000ff) * 0x000f424000000064 +
          ((digits >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >>
         32;
}

// The high bit of each byte above 9; bytes behind the first such one may have it as well.
inline uint64_t beyond_nine(uint64_t bytes) {
  return ((bytes + kEachByte * 0x76) | bytes) & (kEachByte * 0x80);
}

// Takes the byte that `mark` is the high bit of out of `bytes`, and moves those before it behind by one.
inline uint64_t close_gap(uint64_t bytes, uint64_t mark) {
  const uint64_t before = (mark >> 7) - 1;
  return (bytes & ~(before << 8 | 0xff)) | (bytes & before) << 8;
}

template <class T>
bool fit(uint64_t digits, bool negative, T& out) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<T>::max());
  constexpr uint64_t kLeast = std::is_signed_v<T> ? kMost + 1 : 0;
  out = static_cast<T>(negative ? ~digits + 1 : digits);
  return digits <= (negative ? kLeast : kMost);
}

// All exact.
inline constexpr std::array<double, 9> kPowersOfTen = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

}  // namespace json_number

// Up to eight digits, and a point between them or none.
struct ShortNumber {
  uint64_t digits;
  // So many of them behind the point.
  size_t behind;
  bool negative;
};

// Without a branch on how many digits there are. False for anything else, also if fewer than eight bytes
// can be read.
inline bool scan_short(std::string_view text, const char* end, ShortNumber& out) {
  using namespace json_number;
  out.negative = text.front() == '-';
  const char* const at = text.data() + (out.negative ? 1 : 0);
  const size_t size = text.size() - (out.negative ? 1 : 0);
  if (std::endian::native != std::endian::little || size - 1 >= 8 || end - at < 8) return false;
  uint64_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  // So that the text ends where the word does, and zeros come before it.
  bytes = (bytes ^ kEachByte * '0') << 8 * (8 - size);
  out.behind = 0;
  if (const uint64_t marks = beyond_nine(bytes); marks != 0) {
    // One byte that is no digit, a point, with digits on both sides.
    out.behind = static_cast<size_t>(std::countl_zero(marks)) / 8;
    if ((marks & (marks - 1)) != 0 || out.behind == 0 || out.behind + 1 >= size) return false;
    if (at[size - out.behind - 1] != '.') return false;
    bytes = close_gap(bytes, marks);
  }
  out.digits = join_digits(bytes);
  return at[0] != '0' || size == 1 || at[1] == '.';
}

// Quick, but false for any number that isn't short. What lies before `end` can be read.
template <class T>
bool read_short(std::string_view text, const char* end, T& out) {
  ShortNumber number;
  if (!scan_short(text, end, number)) return false;
  if constexpr (std::is_integral_v<T>) {
    return number.behind == 0 && json_number::fit(number.digits, number.negative, out);
  } else if constexpr (std::is_floating_point_v<T>) {
    // Both are exact, so that the quotient is rounded once (Clinger 1990). Of eight digits it is too far from
    // the middle of two floats to be rounded to it.
    const double value = static_cast<double>(number.digits) / json_number::kPowersOfTen[number.behind];
    out = static_cast<T>(number.negative ? -value : value);
    return true;
  } else {
    return false;
  }
}

bool is_number(std::string_view text);

// False if the text is no number, or not whole, or does not fit.
bool read_whole(std::string_view text, uint64_t& digits, bool& negative);
bool read_number(std::string_view text, double& out);
bool read_number(std::string_view text, float& out);
bool read_number(std::string_view text, Float16& out);
bool read_number(std::string_view text, BFloat16& out);

template <class T>
requires std::is_integral_v<T>
bool read_number(std::string_view text, T& out) {
  uint64_t digits = 0;
  bool negative = false;
  return read_whole(text, digits, negative) && json_number::fit(digits, negative, out);
}

}  // namespace weir
