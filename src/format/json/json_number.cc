#include "format/json/json_number.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

#include "core/checked.h"

namespace weir {

namespace {

// Beyond it a number is infinite or 0 whatever its digits are, of which no text has so many.
constexpr int64_t kMaxExponent = int64_t{1} << 40;

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

std::string_view without_sign(std::string_view text) { return text.substr(text.front() == '-' ? 1 : 0); }

// The digits that count, without zeros on either side, and the power of ten of the last one.
struct Decimal {
  std::string digits;
  int64_t exponent = 0;
};

Decimal decimal_of(std::string_view text) {
  Decimal out;
  const size_t mark = text.find_first_of("eE");
  for (const char c : text.substr(0, mark)) {
    if (is_digit(c)) out.digits += c;
  }
  const size_t point = text.find('.');
  if (point != std::string_view::npos)
    out.exponent = -static_cast<int64_t>(std::min(mark, text.size()) - point - 1);
  if (mark != std::string_view::npos) {
    int64_t written = 0;
    for (const char c : text.substr(mark + 1)) {
      if (is_digit(c)) written = std::min(written * 10 + (c - '0'), kMaxExponent);
    }
    out.exponent += text[mark + 1] == '-' ? -written : written;
  }
  out.digits.erase(0, std::min(out.digits.find_first_not_of('0'), out.digits.size()));
  const size_t end = out.digits.find_last_not_of('0');
  const size_t kept = end == std::string::npos ? 0 : end + 1;
  out.exponent += static_cast<int64_t>(out.digits.size() - kept);
  out.digits.resize(kept);
  return out;
}

// -1, 0 or 1 as the written number is less than, equal to or greater than `value`, both without their signs.
int compare_with(std::string_view number, double value) {
  // The digits of a value that a half or a float of 8 bits of precision, or the middle of two, has.
  std::array<char, 400> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, 340)
          .ptr;
  const Decimal there = decimal_of({buffer.data(), static_cast<size_t>(end - buffer.data())});
  const Decimal here = decimal_of(without_sign(number));
  if (here.digits.empty() || there.digits.empty()) return there.digits.empty() ? !here.digits.empty() : -1;
  const int64_t here_top = here.exponent + static_cast<int64_t>(here.digits.size());
  const int64_t there_top = there.exponent + static_cast<int64_t>(there.digits.size());
  if (here_top != there_top) return here_top < there_top ? -1 : 1;
  const int order = here.digits.compare(there.digits);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

// from_chars also takes numbers that JSON does not: .5, 5. and 05.
bool begins_like_no_number(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (text.starts_with('-')) ++at;
  const char* const first = at;
  while (at != end && is_digit(*at)) ++at;
  if (at == first || (*first == '0' && at - first > 1)) return true;
  return at != end && *at == '.' && (at + 1 == end || !is_digit(at[1]));
}

template <class T>
bool convert(std::string_view text, T& out) {
  if (begins_like_no_number(text)) return false;
  const char* const end = text.data() + text.size();
  return fast_float::from_chars(text.data(), end, out).ptr == end;
}

// `nearest`, the double next to the written number, or the one beside it on the number's side if that isn't
// equal: rounded once more, to fewer digits, it gives what the number itself does.
double sticky(std::string_view text, double nearest) {
  // Only a value that ends early may be the middle of two shorter ones.
  auto bits = std::bit_cast<uint64_t>(nearest);
  if ((bits & 0xffffffffff) != 0 || std::isinf(nearest)) return nearest;
  const int order = compare_with(text, std::fabs(nearest));
  if (order != 0) bits += order > 0 ? 1 : ~uint64_t{0};
  return std::bit_cast<double>(bits);
}

// To a float with the same bit.
float sticky_float(double value) {
  auto out = static_cast<float>(value);
  if (static_cast<double>(out) == value || std::isinf(out)) return out;
  auto bits = std::bit_cast<uint32_t>(out);
  if (std::fabs(static_cast<double>(out)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1);
}

// False if it isn't whole, or doesn't fit; the absolute value.
bool whole_value(std::string_view number, uint64_t& out) {
  const Decimal decimal = decimal_of(without_sign(number));
  out = 0;
  if (decimal.digits.empty()) return true;
  if (decimal.exponent < 0 || decimal.exponent > 19 || decimal.digits.size() > 20) return false;
  for (int64_t i = -static_cast<int64_t>(decimal.digits.size()); i < decimal.exponent; ++i) {
    const uint64_t digit =
        i < 0 ? static_cast<uint64_t>(decimal.digits[decimal.digits.size() + static_cast<size_t>(i)] - '0')
              : 0;
    const auto value = checked_add(checked_multiply(out, uint64_t{10}), digit);
    if (!value) return false;
    out = *value;
  }
  return true;
}

}  // namespace

bool is_number(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto digits = [&] {
    const char* const first = at;
    while (at != end && is_digit(*at)) ++at;
    return at - first;
  };
  if (text.starts_with('-')) ++at;
  const char* const first = at;
  const auto count = digits();
  if (count == 0 || (*first == '0' && count > 1)) return false;
  if (at != end && *at == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '-' || *at == '+')) ++at;
    if (digits() == 0) return false;
  }
  return at == end;
}

bool read_whole(std::string_view text, uint64_t& digits, bool& negative) {
  if (!is_number(text)) return false;
  negative = text.starts_with('-');
  const std::string_view number = without_sign(text);
  const char* const end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, digits);
  return (result.ptr == end && result.ec == std::errc()) || whole_value(number, digits);
}

bool read_number(std::string_view text, double& out) { return convert(text, out); }
bool read_number(std::string_view text, float& out) { return convert(text, out); }

bool read_number(std::string_view text, Float16& out) {
  double value = 0;
  if (!convert(text, value)) return false;
  out = to_float16(value);
  // Most are not between two halves, and need no digits compared.
  if (static_cast<double>(to_float(out)) != value) out = to_float16(sticky(text, value));
  return true;
}

bool read_number(std::string_view text, BFloat16& out) {
  double value = 0;
  if (!convert(text, value)) return false;
  out = to_bfloat16(static_cast<float>(value));
  if (static_cast<double>(to_float(out)) != value) out = to_bfloat16(sticky_float(sticky(text, value)));
  return true;
}

}  // namespace weir
