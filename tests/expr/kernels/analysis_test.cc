// sin, cos, tan, expm1, log1p, tanh and sigmoid against long double, and the functions of bits.
#include <cmath>
#include <random>

#include "core/cpu.h"
#include "expr/harness.h"
#include "expr/kernels/shared/exponential.h"
#include "expr/kernels/shared/trig.h"

namespace weir::test {
namespace {

// The distance from the exact value in units in the last place.
template <class T>
double units(T have, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (have == rounded) return 0;
  const T size = std::fabs(rounded);
  const T next = std::nextafter(size, std::numeric_limits<T>::infinity());
  return static_cast<double>(std::fabs(have - exact) / (static_cast<long double>(next) - size));
}

template <class T, class F, class E>
double worst(T from, T to, F f, E exact) {
  constexpr int kCount = 20011;
  double out = 0;
  for (int i = 0; i <= kCount; ++i) {
    const T x = from + (to - from) * (static_cast<T>(i) / static_cast<T>(kCount));
    out = std::max(out, units(f(x), exact(static_cast<long double>(x))));
  }
  return out;
}

// The same over numbers of all sizes, with both signs.
template <class T, class F, class E>
double worst_of_any(int low, int high, F f, E exact) {
  std::mt19937_64 bits(7);
  double out = 0;
  for (int i = 0; i < 20000; ++i) {
    const double mantissa = 1.0 + static_cast<double>(bits() >> 11) * 0x1p-53;
    const int exponent = low + static_cast<int>(bits() % static_cast<uint64_t>(high - low));
    const T x = static_cast<T>(std::ldexp(bits() % 2 == 0 ? mantissa : -mantissa, exponent));
    out = std::max(out, units(f(x), exact(static_cast<long double>(x))));
  }
  return out;
}

template <class T>
math::Angle angle_of(T x) {
  const math::Angle angle = math::reduce(static_cast<double>(x));
  return math::needs_exact(static_cast<double>(x), angle) ? math::reduce_exactly(static_cast<double>(x))
                                                          : angle;
}
template <class T>
T sine(T x) {
  return math::sin(x, angle_of(x));
}
template <class T>
T cosine(T x) {
  return math::cos(x, angle_of(x));
}
template <class T>
T tangent(T x) {
  return math::tan(x, angle_of(x));
}

long double exact_sigmoid(long double x) { return 1.0L / (1.0L + std::exp(-x)); }

}  // namespace

TEST_CASE("sin, cos and tan are as near as they say, however large the angle") {
  const auto sinl = [](long double x) { return std::sin(x); };
  const auto cosl = [](long double x) { return std::cos(x); };
  const auto tanl = [](long double x) { return std::tan(x); };
  CHECK(worst<float>(-7, 7, sine<float>, sinl) < 0.6);
  CHECK(worst<float>(-7, 7, cosine<float>, cosl) < 0.6);
  CHECK(worst<float>(-7, 7, tangent<float>, tanl) < 0.6);
  CHECK(worst_of_any<float>(-120, 127, sine<float>, sinl) < 0.6);
  CHECK(worst_of_any<float>(-120, 127, cosine<float>, cosl) < 0.6);
  CHECK(worst_of_any<float>(-120, 127, tangent<float>, tanl) < 0.6);
  CHECK(worst<double>(-7, 7, sine<double>, sinl) < 1.0);
  CHECK(worst<double>(-7, 7, cosine<double>, cosl) < 1.0);
  CHECK(worst<double>(-7, 7, tangent<double>, tanl) < 2.5);
  CHECK(worst_of_any<double>(-10, 25, sine<double>, sinl) < 1.0);
  CHECK(worst_of_any<double>(-10, 25, cosine<double>, cosl) < 1.0);
  CHECK(worst_of_any<double>(-1000, 1023, sine<double>, sinl) < 1.0);
  CHECK(worst_of_any<double>(-1000, 1023, cosine<double>, cosl) < 1.0);
  CHECK(worst_of_any<double>(-1000, 1023, tangent<double>, tanl) < 2.5);
  // The double that is nearest to a multiple of pi / 2, and the ones next to small multiples.
  CHECK(units(cosine(0x1.6ac5b262ca1ffp+849), cosl(0x1.6ac5b262ca1ffp+849L)) < 1.0);
  for (int n = 1; n < 3000; ++n) {
    const double x = static_cast<double>(n) * 0x1.921fb54442d18p+0;
    CHECK(units(sine(x), sinl(static_cast<long double>(x))) < 1.0);
    CHECK(units(cosine(x), cosl(static_cast<long double>(x))) < 1.0);
  }
}

TEST_CASE("both ways of reducing angles agree") {
  std::mt19937_64 bits(9);
  for (int i = 0; i < 20000; ++i) {
    const double x = (static_cast<double>(bits() >> 11) * 0x1p-53 - 0.5) * std::ldexp(1.0, i % 20);
    const math::Angle quick = math::reduce(x);
    if (math::needs_exact(x, quick)) continue;
    const math::Angle exact = math::reduce_exactly(x);
    // Half-way between two multiples either may be chosen.
    if (std::fabs(std::fabs(quick.rest) - 0.78539816339744828) < 1e-9) continue;
    CHECK((quick.quarters & 3) == (exact.quarters & 3));
    CHECK(std::fabs(quick.rest - exact.rest) <= 1e-16 * std::fabs(exact.rest));
  }
}

TEST_CASE("expm1, log1p, tanh and sigmoid are as near as they say") {
  const auto expm1l = [](long double x) { return std::expm1(x); };
  const auto log1pl = [](long double x) { return std::log1p(x); };
  const auto tanhl = [](long double x) { return std::tanh(x); };
  const auto check = [](auto f, auto exact, float low, float high, double bound) {
    CHECK(worst<float>(low, high, f, exact) < 0.6);
    CHECK(worst<float>(-0.001f, 0.001f, f, exact) < 0.6);
    CHECK(worst_of_any<float>(-120, -1, f, exact) < 0.6);
    CHECK(worst<double>(low, high, f, exact) < bound);
    CHECK(worst<double>(-0.6, 1.5, f, exact) < bound);
    CHECK(worst_of_any<double>(-1000, -1, f, exact) < bound);
  };
  check([](auto x) { return math::expm1(x); }, expm1l, -50, 88, 2.0);
  check([](auto x) { return math::log1p(x); }, log1pl, -0.999f, 1e30f, 2.0);
  check([](auto x) { return math::tanh(x); }, tanhl, -25, 25, 3.0);
  check([](auto x) { return math::sigmoid(x); }, exact_sigmoid, -87, 30, 2.0);
}

TEST_CASE("functions of analysis at the ends") {
  Lab lab;
  for (const std::string dtype : {"float32", "float64", "float16", "bfloat16"}) {
    lab.check("v -> (expm1(v), tanh(v))", {dtype + "([0.0, -0.0, inf, -inf, nan, 1e4, -1e4])"},
              {"(" + dtype + "([0.0, -0.0, inf, -1.0, nan, inf, -1.0]), " + dtype +
               "([0.0, -0.0, 1.0, -1.0, nan, 1.0, -1.0]))"});
    lab.check("v -> (log1p(v), log1p(v - 1.0) == log1p(v))",
              {dtype + "([0.0, -0.0, inf])", dtype + "([-1.0, -0.0, nan])"},
              {"(" + dtype + "([0.0, -0.0, inf]), [false, false, true])",
               "(" + dtype + "([-inf, -0.0, nan]), [false, false, false])"});
    lab.check("v -> is_nan(log1p(v))", {dtype + "([-2.0, -inf, -1.0])"}, {"[true, true, false]"});
    lab.check("v -> sigmoid(v)", {dtype + "([0.0, inf, -inf, nan, 1e4, -1e4])"},
              {dtype + "([0.5, 1.0, 0.0, nan, 1.0, 0.0])"});
    lab.check("v -> (sin(v), tan(v), cos(v))", {dtype + "([0.0, -0.0])"},
              {"(" + dtype + "([0.0, -0.0]), " + dtype + "([0.0, -0.0]), " + dtype + "([1.0, 1.0]))"});
    lab.check("v -> (is_nan(sin(v)), is_nan(cos(v)), is_nan(tan(v)))", {dtype + "([inf, -inf, nan, 1.0])"},
              {"([true, true, true, false], [true, true, true, false], [true, true, true, false])"});
    lab.check("v -> (rsqrt(v), reciprocal(v))", {dtype + "([4.0, 0.25, inf])", dtype + "([0.0, -0.0, 1.0])"},
              {"(" + dtype + "([0.5, 2.0, 0.0]), " + dtype + "([0.25, 4.0, 0.0]))",
               "(" + dtype + "([inf, -inf, 1.0]), " + dtype + "([inf, -inf, 1.0]))"});
    lab.check("v -> (is_nan(v), is_finite(v))", {dtype + "([1.0, nan, inf, -inf, -0.0])"},
              {"([false, true, false, false, false], [true, false, false, false, true])"},
              "(bool[5], bool[5])");
  }
  lab.check("v -> sin(v)", {"[1e30, 1.0, 0.5]", "[0.5, 1e20, 1.0]"},
            {"[-0.79116344, 0.84147096, 0.47942555]", "[0.47942555, 0.6565767, 0.84147096]"});
  lab.check("z -> (sin(z), expm1(z))", {"zeros([0, 2])"}, {"(zeros([0, 2]), zeros([0, 2]))"});
  for (const std::string name : {"sin", "cos", "tan", "tanh", "sigmoid", "expm1", "log1p", "rsqrt",
                                 "reciprocal", "is_nan", "is_finite"}) {
    lab.refuse("x -> " + name + "(x)", "1", "expected a float dtype, found int64");
  }
}

TEST_CASE("functions of analysis give the same bits on every level of the processor") {
  Lab lab;
  Spec spec;
  const Block in = lab.block(
      {"float32(arange(1000) * 7919 % 40001 - 20000) / 1017.0", "float32(arange(1000)) * 1e5"}, &spec);
  const std::string lambda =
      "x -> let y = float64(x) in ((sin(x), cos(x), tan(x), tanh(x), sigmoid(x), expm1(x), log1p(x), rsqrt(x)), (sin(y), cos(y), tan(y), tanh(y), sigmoid(y), expm1(y), log1p(y), rsqrt(y)))";
  Result<FunctionRef> f = lab.compile(lambda, spec);
  if (!f.ok()) FAIL(f.status().error().message);
  const Block wide = lab.run(**f, in, 2);
  const CpuLevel level = cpu_level();
  limit_cpu_level(CpuLevel::baseline);
  const Block narrow = lab.run(**f, in, 2);
  limit_cpu_level(level);
  for (int row = 0; row < 2; ++row) {
    for (size_t i = 0; i < wide.row(row).size(); ++i) CHECK(bit_equal(wide.row(row)[i], narrow.row(row)[i]));
  }
}

TEST_CASE("bits of integers") {
  Lab lab;
  lab.check("(a, b) -> (bitwise_and(a, b), bitwise_or(a, b), bitwise_xor(a, b))", {"(12, 10)", "(-1, 7)"},
            {"(8, 14, 6)", "(7, -1, -8)"}, "(int64, int64, int64)");
  lab.check("v -> (bitwise_and(v, 60), bitwise_or(1, v), bitwise_xor(v, [[255], [0]]))",
            {"uint8([240, 15])", "uint8([7, 8])"},
            {"(uint8([48, 12]), uint8([241, 15]), uint8([[15, 240], [240, 15]]))",
             "(uint8([4, 8]), uint8([7, 9]), uint8([[248, 247], [7, 8]]))"});
  for (const std::string dtype : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}) {
    lab.check("v -> (bitwise_and(v, 6), shift_left(v, 1), shift_right(v, 1))",
              {dtype + "([5, 3])", dtype + "([100, 0])"},
              {"(" + dtype + "([4, 2]), " + dtype + "([10, 6]), " + dtype + "([2, 1]))",
               "(" + dtype + "([4, 0]), 2 * " + dtype + "([100, 0]), " + dtype + "([50, 0]))"});
  }
  lab.refuse("x -> bitwise_and(x, x)", "1.5", "expected an integer dtype, found float32");
  lab.refuse("x -> bitwise_or(x, x)", "true", "for bools write and, or");
  lab.refuse("(a, b) -> bitwise_xor(a, b)", "([1, 2], [1, 2, 3])", "do not broadcast");
}

TEST_CASE("shifts refuse amounts of the width and more") {
  Lab lab;
  lab.check("i -> (shift_left(1, i), shift_right(-100, i))", {"0", "3", "63", "64", "-1"},
            {"(1, -100)", "(8, -13)", "(-9223372036854775808, -1)", "error", "error"});
  lab.check(
      "(a, b) -> shift_right(a, b)",
      {"(int8([-128, 64]), int8([7, 6]))", "(int8([1, 1]), int8([0, 8]))", "(int8([1, 2]), int8([0, -1]))"},
      {"int8([-1, 1])", "error", "error"});
  lab.check("v -> (shift_left(v, 7), shift_right(v, 7))", {"uint8([1, 255])", "uint8([128, 2])"},
            {"(uint8([128, 128]), uint8([0, 1]))", "(uint8([0, 0]), uint8([1, 0]))"});
  lab.check("v -> shift_left(v, 8)", {"uint8([1])"}, {"error"});
  lab.check("v -> shift_left(v, [[1], [2]])", {"[1, 2, 3]", "[4, 5]"},
            {"[[2, 4, 6], [4, 8, 12]]", "[[8, 10], [16, 20]]"});
  lab.check("z -> shift_left(z, 64)", {"zeros([0], int64)"}, {"zeros([0], int64)"});
}

}  // namespace weir::test
