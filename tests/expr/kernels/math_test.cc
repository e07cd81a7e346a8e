#include "expr/kernels/shared/math.h"

#include <cmath>

#include "expr/harness.h"

namespace weir::test {
namespace {

// The distance from the exact value in units in the last place.
template <class T>
double units_off(T have, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (have == rounded) return 0;
  const T next = std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity());
  return static_cast<double>(std::fabs(have - exact) / (next - std::fabs(exact)));
}

template <class T>
double worst_exp(T from, T to, int count) {
  double worst = 0;
  for (int i = 0; i <= count; ++i) {
    const T x = from + (to - from) * (static_cast<T>(i) / static_cast<T>(count));
    worst = std::max(worst, units_off(math::exp(x), std::exp(static_cast<long double>(x))));
  }
  return worst;
}

template <class T>
double worst_log(T from, T to, int count) {
  double worst = 0;
  for (int i = 0; i <= count; ++i) {
    const T x = from + (to - from) * (static_cast<T>(i) / static_cast<T>(count));
    worst = std::max(worst, units_off(math::log(x), std::log(static_cast<long double>(x))));
  }
  return worst;
}

}  // namespace

TEST_CASE("exp and log are within 1.5 units in the last place") {
  CHECK(worst_exp(-87.0f, 88.0f, 20011) < 1.5);
  CHECK(worst_exp(-1.0f, 1.0f, 20011) < 1.5);
  CHECK(worst_exp(-708.0, 709.0, 20011) < 1.5);
  CHECK(worst_exp(-1.0, 1.0, 20011) < 1.5);
  CHECK(worst_log(0.5f, 2.0f, 20011) < 1.5);
  CHECK(worst_log(1e-38f, 1e38f, 20011) < 1.5);
  CHECK(worst_log(0.5, 2.0, 20011) < 1.5);
  CHECK(worst_log(1e-300, 1e300, 20011) < 1.5);
}

TEST_CASE("exp and log at the ends and for subnormals") {
  CHECK(math::exp(-103.5f) == std::exp(-103.5f));
  CHECK(math::exp(88.7f) == Approx(std::exp(88.7f)));
  CHECK(math::exp(-745.0) == std::exp(-745.0));
  CHECK(math::log(1e-40f) == Approx(std::log(1e-40f)));
  CHECK(math::log(1e-320) == Approx(std::log(1e-320)));
  Lab lab;
  for (const std::string dtype : {"float32", "float64", "float16", "bfloat16"}) {
    lab.check("v -> exp(v)", {dtype + "([0.0, -0.0, inf, -inf, nan, 1e4, -1e4])"},
              {dtype + "([1.0, 1.0, inf, 0.0, nan, inf, 0.0])"});
    lab.check("v -> log(v)", {dtype + "([0.0, -0.0, 1.0, inf, nan])"},
              {dtype + "([-inf, -inf, 0.0, inf, nan])"});
    lab.check("v -> log(v) == log(v)", {dtype + "([-1.0, -inf])"}, {"[false, false]"});
  }
}

TEST_CASE("functions of one argument keep dtype and shape") {
  Lab lab;
  lab.check("x -> (abs(x), negative(x), sign(x), square(x))", {"3", "0", "-4"},
            {"(3, -3, 1, 9)", "(0, 0, 0, 0)", "(4, 4, -1, 16)"}, "(int64, int64, int64, int64)");
  lab.check("v -> (abs(v), negative(v), sign(v))", {"int8([-128, -127, 5])"},
            {"(int8([-128, 127, 5]), int8([-128, 127, -5]), int8([-1, -1, 1]))"});
  lab.check("v -> (abs(v), negative(v), square(v))", {"uint16([0, 65535, 300])"},
            {"(uint16([0, 65535, 300]), uint16([0, 1, 65236]), uint16([0, 1, 24464]))"});
  lab.check("v -> (abs(v), sign(v))", {"[-0.0, -1.5, nan, inf]"},
            {"([0.0, 1.5, nan, inf], [0.0, -1.0, nan, 1.0])"});
  lab.check("v -> sqrt(v)", {"[4.0, 2.0, 0.0, inf]", "[9.0, 1.0, 0.25, nan]"},
            {"[2.0, 1.4142135, 0.0, inf]", "[3.0, 1.0, 0.5, nan]"}, "float32[4]");
  lab.check(
      "v -> (floor(v), ceil(v), round(v))", {"[1.5, -1.5, 2.5, -0.5, nan, inf]"},
      {"([1.0, -2.0, 2.0, -1.0, nan, inf], [2.0, -1.0, 3.0, -0.0, nan, inf], [2.0, -2.0, 2.0, -0.0, nan, inf])"});
  lab.check("v -> (square(v), abs(v), floor(v))", {"float16([0.5, 2.0])"},
            {"(float16([0.25, 4.0]), float16([0.5, 2.0]), float16([0.0, 2.0]))"});
  lab.check("z -> (sqrt(z), abs(z))", {"zeros([0, 2])"}, {"(zeros([0, 2]), zeros([0, 2]))"});
}

TEST_CASE("minimum, maximum and clip") {
  Lab lab;
  lab.check("(a, b) -> (minimum(a, b), maximum(a, b))", {"(1, 4)", "(5, 2)", "(-3, -3)"},
            {"(1, 4)", "(2, 5)", "(-3, -3)"}, "(int64, int64)");
  lab.check("v -> (minimum(v, 3.0), maximum([[2.0], [6.0]], v))", {"[1.0, 5.0]"},
            {"([1.0, 3.0], [[2.0, 5.0], [6.0, 6.0]])"}, "(float32[2], float32[2, 2])");
  lab.check("(a, b) -> (minimum(a, b), maximum(a, b))", {"([nan, 1.0, 2.0], [1.0, nan, -inf])"},
            {"([nan, nan, -inf], [nan, nan, 2.0])"});
  lab.check("v -> (clip(v, 0, 10), clip(v, 5, 1))", {"[-5, 0, 3, 99]"}, {"([0, 0, 3, 10], [5, 5, 5, 5])"},
            "(int64[4], int64[4])");
  lab.check("(x, low, high) -> clip(x, low, high)",
            {"([[1.0, 5.0, nan], [0.0, 6.0, 7.0]], [2.0, 6.0, 0.0], 6.5)"},
            {"[[2.0, 6.0, nan], [2.0, 6.0, 6.5]]"}, "float32[2, 3]");
  lab.check("v -> clip(v, [0, 1], 5)", {"[3, 9]", "[3, 9, 4]", "[7, 0]"}, {"[3, 5]", "error", "[5, 1]"},
            "int64[?]");
  lab.refuse("x -> clip(x, [0, 1], 5)", "3", "broadcasts to x");
  lab.refuse("(a, b) -> maximum(a, b)", "(1, int32(2))", "int32");
}

TEST_CASE("functions refuse dtypes that they do not take") {
  Lab lab;
  for (const std::string name : {"sqrt", "exp", "log", "floor", "ceil", "round"}) {
    lab.refuse("x -> " + name + "(x)", "1", "expected a float dtype, found int64");
  }
  for (const std::string name : {"abs", "sign", "square"}) {
    lab.refuse("s -> " + name + "(s)", "\"a\"", "expected an integer or float dtype, found string");
  }
  lab.refuse("x -> abs(x)", "true", "found bool");
}

}  // namespace weir::test
