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
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::array<float, 11> kShortPowers = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F,
                                                1e6F, 1e7F, 1e8F, 1e9F, 1e10F};

constexpr std::array<uint64_t, 9> kWholePowers = {1,      10,      100,      1000,     10000,
                                                  100000, 1000000, 10000000, 100000000};

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// Appends the digits at `at` to a number, eight at a time: without a branch on how many there are. Returns
// their end. A number of more than 19 digits overflows.
const char* add_digits(const char* at, const char* end, uint64_t& number) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  while (std::endian::native == std::endian::little && end - at >= 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    word ^= kOnes * '0';
    // Right up to the first byte that is no digit.
    const uint64_t others = ((word + kOnes * 0x76) | word) & (kOnes * 0x80);
    const int count = others == 0 ? 8 : __builtin_ctzll(others) / 8;
    if (count == 0) return at;
    word <<= 64 - 8 * count;
    // Pairs, then fours, then all eight.
    word = word * 10 + (word >> 8);
    word = ((word & 0x000000ff000000ff) * 0x000f424000000064 +
            ((word >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >>
           32;
    number = number * kWholePowers[static_cast<size_t>(count)] + (word & 0xffffffff);
    at += count;
    if (count < 8) return at;
  }
  for (; is_digit(*at); ++at) number = number * 10 + static_cast<uint64_t>(*at - '0');
  return at;
}

std::string_view without_sign(const JsonNumber& number) {
  return number.text.substr(number.negative ? 1 : 0);
}

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
int compare_with(const JsonNumber& number, double value) {
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

// The double next to the written number whose last bit tells whether others lie between: rounded once more,
// to fewer digits, it gives what the number itself does.
double sticky_value(const JsonNumber& number) {
  double value = 0;
  convert_number(number, value);
  value = std::fabs(value);
  // Only a value that ends early may be the middle of two shorter ones.
  auto bits = std::bit_cast<uint64_t>(value);
  if ((bits & 0xffffffffff) != 0 || value > std::numeric_limits<double>::max()) return value;
  const int order = compare_with(number, value);
  if (order != 0) bits += order > 0 ? 1 : ~uint64_t{0};
  return std::bit_cast<double>(bits);
}

// To a float with the same bit.
float sticky_float(double value) {
  auto out = static_cast<float>(value);
  if (static_cast<double>(out) == value || out > std::numeric_limits<float>::max()) return out;
  auto bits = std::bit_cast<uint32_t>(out);
  if (static_cast<double>(out) > value) --bits;
  return std::bit_cast<float>(bits | 1);
}

// `exact` digits and powers of ten give a product or quotient that is rounded once (Clinger 1990).
template <class T, size_t N>
void convert(const JsonNumber& number, const std::array<T, N>& powers, T& out) {
  constexpr uint64_t kExact = uint64_t{1} << std::numeric_limits<T>::digits;
  constexpr auto kMost = static_cast<int64_t>(N) - 1;
  if (number.exact && number.digits <= kExact && -kMost <= number.exponent && number.exponent <= kMost) {
    const auto digits = static_cast<T>(number.digits);
    out = number.exponent < 0 ? digits / powers[static_cast<size_t>(-number.exponent)]
                              : digits * powers[static_cast<size_t>(number.exponent)];
  } else {
    const std::string_view text = without_sign(number);
    fast_float::from_chars(text.data(), text.data() + text.size(), out);
  }
  if (number.negative) out = -out;
}

}  // namespace

bool scan_number(const char* at, const char* end, JsonNumber& out) {
  const char* const begin = at;
  out.negative = *at == '-';
  if (out.negative) ++at;
  const char* const first = at;
  uint64_t digits = 0;
  at = add_digits(at, end, digits);
  auto count = at - first;
  if (count == 0 || (*first == '0' && count > 1)) return false;
  out.exponent = 0;
  out.plain = true;
  if (*at == '.') {
    out.plain = false;
    const char* const fraction = ++at;
    at = add_digits(at, end, digits);
    if (at == fraction) return false;
    out.exponent = fraction - at;
    count += at - fraction;
  }
  if (*at == 'e' || *at == 'E') {
    out.plain = false;
    ++at;
    const bool minus = *at == '-';
    if (minus || *at == '+') ++at;
    const char* const power = at;
    int64_t exponent = 0;
    for (; is_digit(*at); ++at) exponent = std::min(exponent * 10 + (*at - '0'), kMaxExponent);
    if (at == power) return false;
    out.exponent += minus ? -exponent : exponent;
  }
  out.digits = digits;
  out.text = {begin, static_cast<size_t>(at - begin)};
  out.exact = count <= 19;
  return true;
}

bool whole_value(const JsonNumber& number, uint64_t& out) {
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

void convert_number(const JsonNumber& number, double& out) { convert(number, kPowers, out); }
void convert_number(const JsonNumber& number, float& out) { convert(number, kShortPowers, out); }

void convert_number(const JsonNumber& number, Float16& out) {
  out = to_float16(sticky_value(number));
  if (number.negative) out.bits |= 0x8000;
}

void convert_number(const JsonNumber& number, BFloat16& out) {
  out = to_bfloat16(sticky_float(sticky_value(number)));
  if (number.negative) out.bits |= 0x8000;
}

}  // namespace weir
