// parse_number: numbers as TensorFlow reads them from text: with spaces around them and a sign, integers in
// decimal, floats also as "1e3", "inf", "infinity" and "nan" in any case, and as whole numbers in
// hexadecimal. The whole text must be one. A float that is too large is infinite, one that is too small is 0;
// an integer that does not fit is no number. Depends on no locale and allocates nothing.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

namespace weir {

namespace numbers {

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// `lower` is in lower case.
inline bool is_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] | 0x20) != lower[i]) return false;
  }
  return true;
}

// Whether a decimal number that no double holds is too large, not too small.
inline bool is_huge(std::string_view digits) {
  const size_t mark = digits.find_first_of("eE");
  const std::string_view mantissa = digits.substr(0, mark);
  int64_t exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view text = digits.substr(mark + 1);
    const bool minus = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    for (char c : text) exponent = exponent > 1000000000 ? exponent : exponent * 10 + (c - '0');
    if (minus) exponent = -exponent;
  }
  const size_t point = mantissa.find('.') == std::string_view::npos ? mantissa.size() : mantissa.find('.');
  const size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  // The power of ten of the first digit that is not 0.
  const auto place =
      first < point ? static_cast<int64_t>(point - first) : -static_cast<int64_t>(first - point);
  return exponent + place > 0;
}

// Four to eight bytes of decimal digits with at most one point among them, without a branch on how many there
// are.
struct ShortNumber {
  // The digits without the point, if there is one, and the number of digits after it.
  int64_t value;
  bool point;
  int decimals;
};
// False for all else, also numbers.
// REQUIRES: 4 <= size <= 8
inline bool parse_short(const char* text, size_t size, ShortNumber& out) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighs = kOnes * 0x80;
  uint32_t head = 0;
  uint32_t tail = 0;
  std::memcpy(&head, text, 4);
  std::memcpy(&tail, text + size - 4, 4);
  // The text is at the end of the word, with zeros before it.
  const size_t room = 8 * (8 - size);
  uint64_t word = uint64_t{tail} << 32 | ((uint64_t{head} << room) & 0xffffffff);
  word |= kOnes * '0' & ((uint64_t{1} << room) - 1);
  // The first byte that is a point has its high bit set here; those after it may have.
  const uint64_t other = word ^ (kOnes * '.');
  const uint64_t points = (other - kOnes) & ~other & kHighs;
  out.decimals = 0;
  out.point = points != 0;
  if (points != 0) {
    const int at = __builtin_ctzll(points) / 8;
    const uint64_t before = (uint64_t{1} << (8 * at)) - 1;
    const uint64_t after = at == 7 ? 0 : ~uint64_t{0} << (8 * at + 8);
    word = (word & after) | (word & before) << 8 | '0';
    out.decimals = 7 - at;
  }
  const uint64_t digits = word - kOnes * '0';
  if (((digits + kOnes * (0x80 - 10)) | digits) & kHighs) return false;
  // Pairs, then fours, then all eight.
  uint64_t sum = (digits * 10) + (digits >> 8);
  sum = (((sum & 0x000000ff000000ff) * 0x000f424000000064) +
         (((sum >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >>
        32;
  out.value = static_cast<int64_t>(sum & 0xffffffff);
  return true;
}

inline constexpr bool kLittleEndian = std::endian::native == std::endian::little;

// Most whole numbers. False for all else, also numbers.
template <class T>
inline bool parse_short_integer(std::string_view text, T& out) {
  const bool minus = text.front() == '-';
  const char* at = text.data() + (minus ? 1 : 0);
  const char* const end = text.data() + text.size();
  const auto size = static_cast<size_t>(end - at);
  int64_t value = 0;
  if (kLittleEndian && size >= 4 && size <= 8) {
    ShortNumber number;
    if (!parse_short(at, size, number) || number.point) return false;
    value = number.value;
  } else {
    if (size > 18 || size == 0) return false;
    for (; at < end; ++at) {
      const auto digit = static_cast<unsigned>(*at - '0');
      if (digit > 9) return false;
      value = value * 10 + digit;
    }
  }
  if (minus) value = -value;
  out = static_cast<T>(value);
  return out == value;
}

template <class T>
inline constexpr std::array<T, 9> kPowersOfTen = {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

// Fractions whose digits and power of ten are exact, so that their quotient is rounded once (Clinger 1990).
// False for all else, also numbers.
template <class T>
inline bool parse_short_fraction(std::string_view text, T& out) {
  constexpr int64_t kExact = int64_t{1} << std::numeric_limits<T>::digits;
  const bool minus = text.front() == '-';
  const char* const at = text.data() + (minus ? 1 : 0);
  const size_t size = text.size() - (minus ? 1 : 0);
  ShortNumber number;
  if (!kLittleEndian || size < 4 || size > 8 || !parse_short(at, size, number) || number.value > kExact)
    return false;
  const T quotient = static_cast<T>(number.value) / kPowersOfTen<T>[static_cast<size_t>(number.decimals)];
  out = minus ? -quotient : quotient;
  return true;
}

// "0x1F", without a sign. Its digits count as far as a double holds them.
inline bool parse_hexadecimal(std::string_view digits, double& out) {
  if (digits.size() < 3 || digits[0] != '0' || (digits[1] | 0x20) != 'x') return false;
  const char* const end = digits.data() + digits.size();
  // from_chars would read a point and an exponent, too.
  if (digits.find_first_not_of("0123456789abcdefABCDEF", 2) != std::string_view::npos) return false;
  const auto [at, error] = std::from_chars(digits.data() + 2, end, out, std::chars_format::hex);
  if (error == std::errc::result_out_of_range) out = std::numeric_limits<double>::infinity();
  return at == end;
}

template <class T>
bool parse_float(std::string_view digits, T& out) {
  // Only these of the words that from_chars knows, and no second sign.
  if (digits.empty()) return false;
  const char first = digits.front();
  if (is_word(digits, "inf") || is_word(digits, "infinity")) {
    out = std::numeric_limits<T>::infinity();
    return true;
  }
  if (is_word(digits, "nan")) {
    out = std::numeric_limits<T>::quiet_NaN();
    return true;
  }
  if (first != '.' && (first < '0' || first > '9')) return false;
  if (double value = 0; first == '0' && parse_hexadecimal(digits, value)) {
    out = static_cast<T>(value);
    return true;
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range)
    out = is_huge(digits) ? std::numeric_limits<T>::infinity() : T{0};
  return true;
}

}  // namespace numbers

template <class T>
bool parse_number(std::string_view text, T& out) {
  if (text.empty()) return false;
  if constexpr (std::is_integral_v<T>) {
    if (numbers::parse_short_integer(text, out)) return true;
  } else {
    if (numbers::parse_short_fraction(text, out)) return true;
  }
  text = numbers::trimmed(text);
  if (text.empty()) return false;
  if constexpr (std::is_integral_v<T>) {
    // from_chars knows no plus.
    if (text.front() == '+') {
      text.remove_prefix(1);
      if (text.empty() || text.front() == '-') return false;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size();
  } else {
    const bool minus = text.front() == '-';
    if (minus || text.front() == '+') text.remove_prefix(1);
    if (!numbers::parse_float(text, out)) return false;
    if (minus) out = -out;
    return true;
  }
}

}  // namespace weir
