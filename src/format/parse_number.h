// parse_number: numbers as TensorFlow reads them from text: with spaces around them and a sign, integers in decimal, floats
// also as "1e3", "inf" and "nan" in any case. The whole text must be one. A float that is too large is infinite, one that
// is too small is 0; an integer that does not fit is no number. Depends on no locale and allocates nothing.
#pragma once

#include <charconv>
#include <cstdint>
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
  const auto place = first < point ? static_cast<int64_t>(point - first) : -static_cast<int64_t>(first - point);
  return exponent + place > 0;
}

template <class T>
bool parse_float(std::string_view digits, T& out) {
  // Only these of the words that from_chars knows, and no second sign.
  if (digits.empty()) return false;
  const char first = digits.front();
  if (is_word(digits, "inf")) {
    out = std::numeric_limits<T>::infinity();
    return true;
  }
  if (is_word(digits, "nan")) {
    out = std::numeric_limits<T>::quiet_NaN();
    return true;
  }
  if (first != '.' && (first < '0' || first > '9')) return false;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) out = is_huge(digits) ? std::numeric_limits<T>::infinity() : T{0};
  return true;
}

}  // namespace numbers

template <class T>
bool parse_number(std::string_view text, T& out) {
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
