#include "expr/kernels/shared/trig.h"

#include <array>

namespace weir::math {

namespace {

// 64 zeros, then the binary digits of 2 / pi. The largest exponent needs 1225 of them.
constexpr std::array<uint64_t, 21> kDigits = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d};

// 192 bits, the highest word first.
struct Wide {
  uint64_t a, b, c;
};

Wide shifted_left(const Wide& x, int count) {
  if (count >= 64) return shifted_left({x.b, x.c, 0}, count - 64);
  if (count == 0) return x;
  return {x.a << count | x.b >> (64 - count), x.b << count | x.c >> (64 - count), x.c << count};
}

Wide negated(const Wide& x) {
  const uint64_t c = 0 - x.c;
  const uint64_t b = ~x.b + (c == 0 ? 1 : 0);
  const uint64_t a = ~x.a + (c == 0 && b == 0 ? 1 : 0);
  return {a, b, c};
}

// x * y without what overflows.
Wide product(const Wide& x, uint64_t y) {
  __extension__ using Double = unsigned __int128;
  const Double c = static_cast<Double>(x.c) * y;
  const Double b = static_cast<Double>(x.b) * y + static_cast<uint64_t>(c >> 64);
  return {x.a * y + static_cast<uint64_t>(b >> 64), static_cast<uint64_t>(b), static_cast<uint64_t>(c)};
}

}  // namespace

Angle reduce_exactly(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1075;
  // Infinities and nan; and what is less than pi / 4 anyway, with so small an exponent that no digits would
  // be left.
  if (exponent == 972) return {x - x, 0.0, 0};
  if (exponent < -54) return {x, 0.0, 0};
  const uint64_t mantissa = (bits & 0xfffffffffffff) | uint64_t{1} << 52;
  // Digits that stand for whole turns are left out; the product then has quarters in its two highest bits.
  const int first = exponent - 2 + 64;
  const auto word = static_cast<size_t>(first / 64);
  const Wide digits{kDigits[word], kDigits[word + 1], kDigits[word + 2]};
  Wide slice = shifted_left(digits, first % 64);
  if (first % 64 != 0) slice.c |= kDigits[word + 3] >> (64 - first % 64);
  const Wide turns = product(slice, mantissa);
  uint64_t quarters = turns.a >> 62;
  Wide rest = shifted_left(turns, 2);
  bool negative = rest.a >> 63 != 0;
  if (negative) {
    rest = negated(rest);
    ++quarters;
  }
  // No float is so near to a multiple of pi / 2 that the two highest words were both 0.
  const int zeros = rest.a != 0 ? std::countl_zero(rest.a) : 64 + std::countl_zero(rest.b | 1);
  rest = shifted_left(rest, zeros);
  const double scale = std::bit_cast<double>(static_cast<uint64_t>(1023 - 64 - zeros) << 52);
  const double high = static_cast<double>(rest.a & ~uint64_t{0x7ff}) * scale;
  const double low = (static_cast<double>(rest.a & 0x7ff) + static_cast<double>(rest.b) * 0x1p-64) * scale;
  constexpr double kHalfPi = 0x1.921fb54442d18p+0;
  constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
  const double near = high * kHalfPi;
  const double more = std::fma(high, kHalfPi, -near) + (high * kHalfPiLow + low * kHalfPi);
  const double sum = near + more;
  if (x < 0.0) {
    negative = !negative;
    quarters = 0 - quarters;
  }
  const double sign = negative ? -1.0 : 1.0;
  return {sign * sum, sign * ((near - sum) + more), quarters};
}

}  // namespace weir::math
