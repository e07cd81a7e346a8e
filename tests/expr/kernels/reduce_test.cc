#include "expr/kernels/shared/reduce.h"

#include <cmath>

#include "expr/harness.h"

namespace weir::test {

TEST_CASE("sum, prod and mean over none, one and several axes") {
  Lab lab;
  const std::string matrix = "[[1, 2, 3], [4, 5, 6]]";
  lab.check("m -> (sum(m), sum(m, 0), sum(m, axis: -1), sum(m[0]))", {matrix},
            {"(21, [5, 7, 9], [6, 15], 6)"}, "(int64, int64[3], int64[2], int64)");
  lab.check("m -> (prod(m), prod(m, 0), prod(m, 1, keepdims: true))", {matrix},
            {"(720, [4, 10, 18], [[6], [120]])"});
  lab.check(
      "q -> (sum(q, axis: [0, 2]), sum(q, axis: [-1, 0], keepdims: true), sum(q, [1]), sum(q, []))",
      {"reshape(arange(24), [2, 3, 4])"},
      {"([60, 92, 124], [[[60], [92], [124]]], [[12, 15, 18, 21], [48, 51, 54, 57]], reshape(arange(24), [2, 3, 4]))"},
      "(int64[3], int64[1, 3, 1], int64[2, 4], int64[2, 3, 4])");
  lab.check("m -> (mean(m), mean(m, 0), mean(m, axis: 1, keepdims: true))",
            {"[[1.0, 2.0, 6.0], [4.0, 5.0, 0.0]]"}, {"(3.0, [2.5, 3.5, 3.0], [[3.0], [3.0]])"},
            "(float32, float32[3], float32[2, 1])");
  lab.check("v -> mean(v)", {"[1, 2]", "[4, 5]"}, {"float64(1.5)", "float64(4.5)"}, "float64");
  lab.check("(a, b, c) -> (sum(a), sum(b), sum(c))",
            {"(uint8([200, 100]), int8([100, 100]), int32([2147483647, 1]))"},
            {"(uint8(44), int8(-56), int32(-2147483648))"}, "(uint8, int8, int32)");
  lab.check("v -> (sum(v), mean(v))", {"float16([0.5, 0.25])"}, {"(float16(0.75), float16(0.375))"});
}

TEST_CASE("reductions of nothing and of unknown lengths") {
  Lab lab;
  lab.check("z -> (sum(z), prod(z), min(z), max(z), mean(z) == mean(z))", {"zeros([0])"},
            {"(0.0, 1.0, inf, -inf, false)"});
  lab.check("z -> (sum(z, 0), prod(z, 0), sum(z, 1))", {"zeros([0, 3])"},
            {"(zeros([3]), ones([3]), zeros([0]))"});
  lab.check("n -> let v = arange(n) in (sum(v), prod(v + 1))", {"0", "1", "2", "3"},
            {"(0, 1)", "(0, 1)", "(1, 2)", "(3, 6)"}, "(int64, int64)");
  lab.check("n -> let v = arange(n) in (max(v), min(v))", {"2", "0", "3"}, {"(1, 0)", "error", "(2, 0)"});
  lab.check("v -> (any(v), all(v))", {"bool(zeros([0]))", "[true, false]"},
            {"(false, true)", "(true, false)"});
}

TEST_CASE("min, max, any and all") {
  Lab lab;
  lab.check("m -> (min(m), max(m), min(m, 1), max(m, axis: 0))", {"[[1, 2, 3], [4, 5, 6]]"},
            {"(1, 6, [1, 4], [4, 5, 6])"});
  lab.check("m -> (min(m, axis: 1), max(m, axis: 1), max(m, 0))",
            {"[[nan, 1.0, 0.0], [1.0, 2.0, nan], [1.0, 2.0, 3.0]]"},
            {"([nan, nan, 1.0], [nan, nan, 3.0], [nan, 2.0, nan])"});
  lab.check("v -> (min(v), max(v))", {"[1.0, -inf, inf]"}, {"(-inf, inf)"});
  lab.check("v -> (min(v), max(v))", {"uint64([3, 18446744073709551615])"},
            {"(uint64(3), uint64(18446744073709551615))"});
  lab.check("m -> (any(m), all(m), any(m, 0), all(m, axis: 0), all(m, axis: 1, keepdims: true))",
            {"[[true, false], [true, true]]"},
            {"(true, false, [true, true], [true, false], [[false], [true]])"},
            "(bool, bool, bool[2], bool[2], bool[2, 1])");
}

TEST_CASE("argmax and argmin give the first of equals and pass over nan") {
  Lab lab;
  lab.check("m -> (argmax(m, axis: 1), argmin(m, axis: 1), argmax(m), argmin(m, -2))",
            {"[[1.0, 1.0], [0.0, 1.0]]"}, {"([0, 1], [0, 0], [0, 0], [1, 0])"},
            "(int64[2], int64[2], int64[2], int64[2])");
  lab.check("v -> (argmax(v), argmin(v))", {"uint8([1, 200, 3])", "uint8([9, 8, 8])"}, {"(1, 0)", "(0, 1)"});
  lab.check("v -> (argmax(v), argmin(v))", {"[nan, 1.0, 2.0]", "[nan, nan, nan]"}, {"(2, 1)", "(0, 0)"});
  lab.check("n -> argmax(arange(n))", {"3", "0", "1"}, {"2", "error", "0"}, "int64");
  lab.check("n -> argmax(zeros([n, n % 2]), axis: 1)", {"2", "0", "3"}, {"error", "error", "[0, 0, 0]"},
            "int64[?]");
  lab.check("q -> argmax(q, axis: 1)", {"[[[1, 9], [5, 2], [3, 9]]]"}, {"[[1, 0]]"});
}

TEST_CASE("std and variance are of the population") {
  Lab lab;
  lab.check("m -> (variance(m), variance(m, 0), std(m, axis: 0), variance(m, axis: 1, keepdims: true))",
            {"[[1.0, 2.0, 6.0], [4.0, 4.0, 0.0]]", "[[1.0, 1.0, 1.0], [1.0, 3.0, 1.0]]"},
            {"(4.1388890, [2.25, 1.0, 9.0], [1.5, 1.0, 3.0], [[4.6666665], [3.5555556]])",
             "(0.5555556, [0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [[0.0], [0.8888889]])"},
            "(float32, float32[3], float32[3], float32[2, 1])");
  for (const std::string dtype : {"float32", "float64", "float16", "bfloat16"}) {
    lab.check("q -> (variance(q, axis: [0, 2]), std(q, axis: [2, 0], keepdims: true), variance(q, []))",
              {dtype + "([[[1.0, 3.0], [0.0, 0.0]], [[3.0, 5.0], [0.0, 4.0]]])"},
              {"(" + dtype + "([2.0, 3.0]), sqrt(" + dtype + "([[[2.0], [3.0]]])), " + dtype +
               "([[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]))"});
  }
  // Large beside its spread, in every way of reducing, with more entries than a leaf has.
  lab.check(
      "n -> let x = 1e6 + float32(arange(n) % 2) in (variance(x), variance(reshape(x, [-1, 2]), axis: 0), std(reshape(x, [2, -1, 2]), axis: [0, 1]))",
      {"4", "4000", "400"},
      {"(0.25, [0.0, 0.0], [0.0, 0.0])", "(0.25, [0.0, 0.0], [0.0, 0.0])", "(0.25, [0.0, 0.0], [0.0, 0.0])"});
  lab.check(
      "n -> let x = 1e6 + float32(arange(2 * n) // n) in (variance(reshape(x, [2, n]), axis: 0)[n - 1], variance(reshape(x, [2, 1, n, 1]), axis: [0, 3])[0, 0])",
      {"1", "127", "300"}, {"(0.25, 0.25)", "(0.25, 0.25)", "(0.25, 0.25)"});
  lab.check("z -> (is_nan(variance(z)), is_nan(std(z, 0)), variance(z, 1))", {"zeros([0, 3])"},
            {"(true, [true, true, true], zeros([0]))"});
  lab.check("v -> is_nan(std(v))", {"[1.0, nan]", "[1.0, 2.0]", "[1.0, inf]"}, {"true", "false", "true"});
  lab.refuse("v -> std(v)", "[1, 0]", "expected a float dtype, found int64");
}

TEST_CASE("count_nonzero counts entries of any dtype") {
  Lab lab;
  lab.check("(a, b, c) -> (count_nonzero(a), count_nonzero(a, axis: 0), count_nonzero(b), count_nonzero(c))",
            {"([[0, 1, 2], [0, 0, 3]], [true, false, true], [0.0, -0.0, nan])",
             "([[0, 0, 0], [5, 0, 0]], [false, false, true], [0.1, 1e-40, inf])"},
            {"(3, [0, 1, 2], 2, 1)", "(1, [1, 0, 0], 1, 3)"}, "(int64, int64[3], int64, int64)");
  lab.check("v -> (count_nonzero(v), count_nonzero(v, axis: [0]))", {"[\"\", \"a\", \"bc\"]", "[\"\", \"\"]"},
            {"(2, 2)", "(0, 0)"});
  for (const std::string dtype :
       {"int8", "uint16", "uint64", "float16", "bfloat16", "float64", "complex64", "complex128"}) {
    lab.check("v -> count_nonzero(v)", {dtype + "([0, 3, 0, 1])"}, {"2"}, "int64");
  }
  lab.check("q -> count_nonzero(q, axis: [0, 2])", {"reshape(arange(12), [2, 3, 2])"}, {"[3, 4, 4]"});
  lab.check("n -> count_nonzero(arange(n) % 3)", {"0", "5000", "2"}, {"0", "3333", "1"});
  lab.refuse("v -> count_nonzero(v, axis: 1)", "[1]", "the axis 1");
}

TEST_CASE("cumsum along each axis, from both ends") {
  Lab lab;
  lab.check(
      "v -> (cumsum(v), cumsum(v, exclusive: true), cumsum(v, reverse: true), cumsum(v, 0, true, true))",
      {"[1, 2, 3, 4]", "[5]", "zeros([0], int64)"},
      {"([1, 3, 6, 10], [0, 1, 3, 6], [10, 9, 7, 4], [9, 7, 4, 0])", "([5], [0], [5], [0])",
       "(zeros([0], int64), zeros([0], int64), zeros([0], int64), zeros([0], int64))"});
  lab.check(
      "q -> (cumsum(q), cumsum(q, axis: 1), cumsum(q, axis: -1, reverse: true), cumsum(q, axis: 1, exclusive: true, reverse: true))",
      {"reshape(arange(8), [2, 2, 2])", "reshape(arange(8) * 10, [2, 2, 2])"},
      {"([[[0, 1], [2, 3]], [[4, 6], [8, 10]]], [[[0, 1], [2, 4]], [[4, 5], [10, 12]]], [[[1, 1], [5, 3]], [[9, 5], [13, 7]]], [[[2, 3], [0, 0]], [[6, 7], [0, 0]]])",
       "([[[0, 10], [20, 30]], [[40, 60], [80, 100]]], [[[0, 10], [20, 40]], [[40, 50], [100, 120]]], [[[10, 10], [50, 30]], [[90, 50], [130, 70]]], [[[20, 30], [0, 0]], [[60, 70], [0, 0]]])"});
  lab.check("v -> cumsum(v)", {"uint8([200, 100, 1])"}, {"uint8([200, 44, 45])"});
  for (const std::string dtype : {"float32", "float64", "float16", "bfloat16"}) {
    lab.check("v -> cumsum(v)", {dtype + "([0.5, 0.25, -1.0])", dtype + "([1.0, inf, nan])"},
              {dtype + "([0.5, 0.75, -0.25])", dtype + "([1.0, inf, nan])"});
  }
  lab.check("(v, s) -> cumsum(reshape(v, s), axis: -1)",
            {"([1, 2, 3, 4], [4])", "([1, 2, 3, 4], [2, 2])", "([5], zeros([0], int64))"},
            {"[1, 3, 6, 10]", "[[1, 3], [3, 7]]", "error"}, "int64[...]");
  lab.refuse("v -> cumsum(v)", "[true]", "found bool");
  lab.refuse("x -> cumsum(x)", "1", "the axis 0");
}

TEST_CASE("reductions refuse wrong axes and dtypes") {
  Lab lab;
  lab.refuse("m -> sum(m, axis: 2)", "[[1]]", "the axis 2 is out of range for a tensor of rank 2");
  lab.refuse("m -> max(m, axis: -3)", "[[1]]", "the axis -3");
  lab.refuse("m -> sum(m, axis: [0, 0])", "[[1]]", "twice");
  lab.refuse("v -> sum(v)", "[true]", "found bool");
  lab.refuse("v -> sum(v)", "[\"a\"]", "found string");
  lab.refuse("v -> any(v)", "[1, 0]", "expected bool, found int64");
  lab.refuse("x -> argmax(x)", "1", "the axis 0");
  lab.refuse("v -> argmax(v)", "zeros([2, 0])[0]", "at least one entry");
}

namespace {

// The sum as the tree is defined, written without lanes.
struct FloatSum {
  using Acc = float;
  static float identity() { return 0; }
  static float combine(float a, float b) { return a + b; }
};

float halves(std::vector<float> v) {
  while (v.size() > 1) {
    for (size_t i = 0; i < v.size() / 2; ++i) v[i] += v[i + v.size() / 2];
    v.resize(v.size() / 2);
  }
  return v[0];
}

float leaf(const float* in, size_t count) {
  if (count < 32) {
    float sum = in[0];
    for (size_t i = 1; i < count; ++i) sum += in[i];
    return sum;
  }
  std::vector<float> lanes(in, in + 16);
  for (size_t i = 16; i < count; ++i) lanes[i % 16] += in[i];
  return halves(lanes);
}

}  // namespace

TEST_CASE("the tree of a sum is what it is said to be, whatever the compiler makes of it") {
  std::vector<float> v(5000);
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = std::sin(static_cast<float>(i)) * std::exp2(static_cast<float>(i % 23));
  for (size_t count : {1u, 2u, 15u, 16u, 31u, 32u, 33u, 100u, 1023u, 1024u}) {
    CHECK(reduce::fold<FloatSum>(v.data(), static_cast<int64_t>(count)) == leaf(v.data(), count));
  }
  CHECK(reduce::fold<FloatSum>(v.data(), 1025) == leaf(v.data(), 1024) + leaf(v.data() + 1024, 1));
  const float first = (leaf(v.data(), 1024) + leaf(v.data() + 1024, 1024)) +
                      (leaf(v.data() + 2048, 1024) + leaf(v.data() + 3072, 1024));
  CHECK(reduce::fold<FloatSum>(v.data(), 5000) == first + leaf(v.data() + 4096, 904));
}

TEST_CASE("a sum across rows does not depend on how many columns there are") {
  std::vector<float> v(300 * 200);
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = std::sin(static_cast<float>(i)) * std::exp2(static_cast<float>(i % 23));
  std::vector<float> wide(200), narrow(200);
  const auto run = [&](int64_t from, int64_t columns) {
    reduce::fold_columns<FloatSum>(v.data() + from, 300, 200, columns, narrow.data() + from);
  };
  for (int64_t j = 0; j < 200; ++j) run(j, 1);
  wide = narrow;
  run(0, 100);
  run(100, 100);
  CHECK(wide == narrow);
}

TEST_CASE("large sums lose little") {
  std::vector<float> v(1 << 20, 0.1f);
  CHECK(std::fabs(reduce::fold<FloatSum>(v.data(), 1 << 20) - 104857.6f) < 0.1f);
}

TEST_CASE("argmax and argmin of long axes, in every dtype") {
  Lab lab;
  for (const std::string d : {"uint8", "int8", "uint16", "int16", "float16", "bfloat16", "uint32", "int32",
                              "float32", "uint64", "int64", "float64"}) {
    for (const std::string n : {"1", "3", "15", "16", "17", "64", "65", "127", "128", "129", "260", "1000"}) {
      // The extreme entries stand at `at` and, again, at the end.
      const std::string v = "let at = x % " + n + " in let v = where(arange(" + n + ") == at or arange(" + n +
                            ") == " + n + " - 1, ";
      lab.check("x -> " + v + d + "(120), " + d + "(arange(" + n +
                    ") % 100)) in (argmax(v) == at, argmax(v[newaxis], axis: 1)[0] == at)",
                {"0", "1", "62", "500", "999"}, std::vector<std::string>(5, "(true, true)"));
      lab.check("x -> " + v + d + "(3), " + d + "(arange(" + n + ") % 100 + 10)) in argmin(v) == at",
                {"0", "1", "62", "500", "999"}, std::vector<std::string>(5, "true"));
      // Columns, where each has another extreme.
      lab.check(
          "x -> let m = " + d + "((expand_dims(arange(7), 1) * 3 + arange(" + n +
              ") + x) % 7) in (all(argmax(m) == argmax(transpose(m), axis: 1)), all(argmin(m) == argmin(transpose(m), axis: 1)), argmax(m)[0])",
          {"0", "4"}, {"(true, true, 2)", "(true, true, 3)"});
    }
  }
  // nan is passed over wherever it stands; infinities and the lowest integers are entries like others.
  for (const std::string d : {"float32", "float64", "float16"}) {
    const std::string many = d + "(where(arange(200) % 3 == 0, nan, float32(arange(200) % 50)))";
    lab.check("x -> (argmax(" + many + "), argmin(" + many + "), argmax(" + d +
                  "(zeros([200]) + nan)), argmax(concat([" + d + "(zeros([100]) + nan), " + d +
                  "([-inf, nan])])), argmin(concat([" + d + "(zeros([300]) + nan), " + d + "([inf])])))",
              {"0"}, {"(49, 50, 0, 100, 300)"});
    lab.check(
        "x -> let m = " + d +
            "([[nan, -inf, nan, 1], [nan, nan, 0, nan], [-inf, -inf, 2, 1]]) in (argmax(m), argmin(m), argmax(m, axis: 1))",
        {"0"}, {"([2, 0, 2, 0], [2, 0, 1, 0], [3, 2, 2])"});
    lab.check("x -> (argmax(" + d + "([-0.0, 0.0])), argmin(" + d + "([0.0, -0.0])))", {"0"}, {"(0, 0)"});
  }
  lab.check(
      "x -> (argmax(zeros([100], int64) - 9223372036854775807 - 1), argmin(zeros([100], uint8) + uint8(255)))",
      {"0"}, {"(0, 0)"});
}

}  // namespace weir::test
