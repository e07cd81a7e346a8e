#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "core/cpu.h"
#include "core/philox.h"
#include "expr/harness.h"

namespace weir::test {
namespace {

// Rows 0 to count - 1, drawn in blocks of `width`, as one list of components.
std::vector<Tensor> draw(Lab& lab, const std::string& lambda, int count, int width) {
  std::vector<std::string> rows;
  for (int i = 0; i < count; ++i) rows.push_back(std::to_string(i % 3));
  Spec spec;
  const Block in = lab.block(rows, &spec);
  Result<FunctionRef> f = lab.compile(lambda, spec);
  if (!f.ok()) FAIL(f.status().error().message);
  const Block out = lab.run(**f, in, width);
  std::vector<Tensor> values;
  for (int i = 0; i < count; ++i) {
    REQUIRE_FALSE(out.failed(i));
    for (const Tensor& value : out.row(i)) values.push_back(value);
  }
  return values;
}

}  // namespace

namespace {

// The greatest distance between the distribution of the values and the one expected (Kolmogorov and Smirnov),
// times the square root of their number; above 1.95 one time in a thousand.
template <class Cdf>
double distance(std::vector<double> values, Cdf cdf) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double out = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double expected = cdf(values[i]);
    out = std::max(
        {out, expected - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - expected});
  }
  return out * std::sqrt(count);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

std::vector<double> doubles(Lab& lab, const std::string& expression, int rows = 1) {
  std::vector<double> out;
  for (const Tensor& value : draw(lab, "_ -> float64(" + expression + ")", rows, 7)) {
    for (double entry : value.entries<double>()) out.push_back(entry);
  }
  return out;
}

}  // namespace

TEST_CASE("draws do not depend on the block") {
  Lab lab;
  for (const std::string lambda :
       {"_ -> random_uniform([7], seed: 5)", "n -> random_uniform([n + 1], seed: 5)",
        "_ -> random_uniform([3], -5, 6, dtype: int8, seed: (1, 2))",
        "_ -> random_uniform([], dtype: float64, seed: 5)", "n -> random_normal([n * 200 + 3], seed: 5)",
        "_ -> random_normal([3], dtype: float64, seed: 5)", "_ -> random_bool(0.3, seed: 5)",
        "n -> random_shuffle(arange(n + 2), seed: 5)", "_ -> random_crop(arange(9), [4], seed: 5)",
        "_ -> random_flip_left_right([[[1], [2]]], seed: 5)",
        "_ -> random_flip_up_down([[[1]], [[2]]], seed: 5)", "_ -> random_brightness([0.5], 0.3, seed: 5)",
        "_ -> random_contrast([[[0.5], [1.5]]], 0.3, 2.0, seed: 5)",
        "_ -> random_hue([[[0.5, 0.2, 0.1]]], 0.3, seed: 5)",
        "_ -> random_saturation([[[0.5, 0.2, 0.1]]], 0.3, 2.0, seed: 5)",
        "n -> if n == 1 then random_uniform([2], seed: 1) else random_uniform([2], seed: 2)"}) {
    INFO(lambda);
    const std::vector<Tensor> one = draw(lab, lambda, 40, 1);
    for (int width : {7, 128}) {
      const std::vector<Tensor> other = draw(lab, lambda, 40, width);
      for (size_t i = 0; i < one.size(); ++i) CHECK(bit_equal(one[i], other[i]));
    }
  }
}

TEST_CASE("draws differ by element, call and seed") {
  Lab lab;
  const std::vector<Tensor> values = draw(
      lab, "_ -> (random_uniform([], seed: 5), random_uniform([], seed: 5), random_uniform([], seed: 6))",
      100, 128);
  std::set<float> seen;
  for (const Tensor& value : values) seen.insert(*value.as<float>());
  CHECK(seen.size() > 297);
}

TEST_CASE("floats lie in [min, max) and spread evenly") {
  Lab lab;
  for (const std::string dtype : {"float32", "float64", "float16", "bfloat16"}) {
    INFO(dtype);
    const std::vector<Tensor> values =
        draw(lab,
             "_ -> let u = float64(random_uniform([4000], 2, 4, " + dtype +
                 ", seed: 3)) in (min(u), max(u), mean(u), mean((u - 3.0) * (u - 3.0)))",
             1, 1);
    CHECK(*values[0].as<double>() >= 2.0);
    CHECK(*values[0].as<double>() < 2.05);
    CHECK(*values[1].as<double>() < 4.0);
    CHECK(*values[1].as<double>() > 3.95);
    CHECK(std::fabs(*values[2].as<double>() - 3.0) < 0.05);
    CHECK(std::fabs(*values[3].as<double>() - 1.0 / 3) < 0.03);
  }
}

TEST_CASE("a narrow range never gives its end") {
  Lab lab;
  // Only one float lies in the range; rounding would give the other one half of the time.
  const std::vector<Tensor> values =
      draw(lab, "_ -> random_uniform([1000], 16777216.0, 16777218.0, seed: 1)", 1, 1);
  for (float value : values[0].entries<float>()) CHECK(value == 16777216.0f);
}

TEST_CASE("integers are uniform") {
  Lab lab;
  const std::vector<Tensor> values = draw(lab, "_ -> random_uniform([6000], -3, 3, int64, seed: 9)", 1, 1);
  int counts[6] = {};
  for (int64_t value : values[0].entries<int64_t>()) {
    REQUIRE(value >= -3);
    REQUIRE(value < 3);
    ++counts[value + 3];
  }
  for (int count : counts) CHECK(std::abs(count - 1000) < 150);
  // A quarter of the first draws from this range must be redrawn; else the first of three neighbours would
  // come half of the time.
  const std::vector<Tensor> wide =
      draw(lab, "_ -> random_uniform([3000], 0, 13835058055282163712, uint64, seed: 9)", 1, 1);
  int first = 0;
  for (uint64_t value : wide[0].entries<uint64_t>()) {
    REQUIRE(value < 13835058055282163712u);
    first += value % 3 == 0;
  }
  CHECK(std::abs(first - 1000) < 120);
  const std::vector<Tensor> all = draw(
      lab, "_ -> random_uniform([100], -9223372036854775808, 9223372036854775807, int64, seed: 9)", 1, 1);
  int negative = 0;
  for (int64_t value : all[0].entries<int64_t>()) negative += value < 0;
  CHECK(negative > 25);
  CHECK(negative < 75);
}

TEST_CASE("random_uniform draws from ranges that are wider than the dtype's greatest number") {
  Lab lab;
  for (const std::string bounds : {"-3e38, 3e38", "-3e38, 1e38", "-1.7e308, 1.7e308, float64"}) {
    INFO(bounds);
    lab.check(
        "_ -> let u = random_uniform([4000], " + bounds +
            ", seed: 1) in let s = sort(u) in "
            "(sum(int64(s[1:] != s[:-1])) > 3900, s[0] < s[3999] / -3, s[1000] < 0 and s[3000] > -1e38)",
        {"0"}, {"(true, true, true)"});
  }
}

TEST_CASE("random_uniform refuses empty ranges and other dtypes") {
  Lab lab;
  lab.refuse("_ -> random_uniform([2], 1, 1)", "0", "max to be greater than min");
  lab.refuse("_ -> random_uniform([2], 0.0, inf)", "0", "min and max to be finite");
  lab.refuse("_ -> random_uniform([2], dtype: string)", "0", "string");
  lab.refuse("v -> random_uniform([2], v, 5.0)", "[1.0]", "min to be a scalar");
  lab.check("x -> let u = random_uniform([2], x, 2.0, seed: 1) in all(u >= x and u < 2.0)",
            {"1.0", "3.0", "-1.0"}, {"true", "error", "true"});
}

TEST_CASE("normal numbers have their distribution", "[statistics]") {
  Lab lab;
  for (const std::string seed : {"1", "2", "(3, 4)"}) {
    INFO(seed);
    CHECK(distance(doubles(lab, "random_normal([20000], seed: " + seed + ")"), normal_cdf) < 1.95);
    CHECK(distance(doubles(lab, "random_normal([20000], dtype: float64, seed: " + seed + ")"), normal_cdf) <
          1.95);
    CHECK(distance(doubles(lab, "random_normal([20000], dtype: float16, seed: " + seed + ")"), normal_cdf) <
          1.95);
    const auto shifted = [](double x) { return normal_cdf((x - 3.0) / 0.5); };
    CHECK(distance(doubles(lab, "random_normal([20000], 3.0, 0.5, seed: " + seed + ")"), shifted) < 1.95);
    // The first draw of each element, and the second.
    CHECK(distance(doubles(lab, "random_normal([2], seed: " + seed + ")[0]", 5000), normal_cdf) < 1.95);
    CHECK(distance(doubles(lab, "random_normal([2], seed: " + seed + ")[1]", 5000), normal_cdf) < 1.95);
  }
  // bfloat16 has steps that the distance shows, so only its moments.
  const std::vector<double> coarse = doubles(lab, "random_normal([20000], dtype: bfloat16, seed: 1)");
  double sum = 0;
  double squares = 0;
  for (double x : coarse) {
    sum += x;
    squares += x * x;
  }
  CHECK(std::fabs(sum / 20000) < 0.03);
  CHECK(std::fabs(squares / 20000 - 1) < 0.04);
}

TEST_CASE("normal numbers of a pair are independent, and none are repeated") {
  Lab lab;
  const std::vector<double> values = doubles(lab, "random_normal([40000], dtype: float64, seed: 8)");
  double product = 0;
  double next = 0;
  for (size_t i = 0; i + 2 < values.size(); i += 2) {
    product += values[i] * values[i + 1];
    next += values[i + 1] * values[i + 2];
  }
  CHECK(std::fabs(product / 20000) < 0.03);
  CHECK(std::fabs(next / 20000) < 0.03);
  CHECK(std::set<double>(values.begin(), values.end()).size() == values.size());
  CHECK(*std::max_element(values.begin(), values.end()) > 3.5);
  CHECK(*std::min_element(values.begin(), values.end()) < -3.5);
}

TEST_CASE("normal numbers: shapes, dtypes and mistakes") {
  Lab lab;
  lab.check("n -> let u = random_normal([n, 2], seed: 1) in (shape(u), all(is_finite(u)))", {"0", "3", "1"},
            {"([0, 2], true)", "([3, 2], true)", "([1, 2], true)"});
  lab.check("n -> shape(random_normal([n]))", {"-1", "2"}, {"error", "[2]"});
  lab.check("m -> random_normal([3], m, 0.0)", {"1.5", "-2.0"}, {"[1.5, 1.5, 1.5]", "[-2.0, -2.0, -2.0]"});
  lab.refuse("_ -> random_normal([3], dtype: int64)", "0", "expected a float dtype, found int64");
  lab.refuse("v -> random_normal([3], v)", "[1.0]", "mean to be a scalar");
  // A longer vector begins with the same numbers.
  lab.check("n -> all(random_normal([3], seed: 4)[0] == random_normal([n], seed: 4)[0])", {"1"}, {"false"});
}

TEST_CASE("every level of the processor draws the same normal numbers") {
  Lab lab;
  const std::vector<Tensor> wide = draw(lab, "_ -> random_normal([1001], seed: 3)", 3, 2);
  const CpuLevel level = cpu_level();
  limit_cpu_level(CpuLevel::baseline);
  const std::vector<Tensor> narrow = draw(lab, "_ -> random_normal([1001], seed: 3)", 3, 2);
  limit_cpu_level(level);
  for (size_t i = 0; i < wide.size(); ++i) CHECK(bit_equal(wide[i], narrow[i]));
}

TEST_CASE("uniform numbers have their distribution", "[statistics]") {
  Lab lab;
  const auto cdf = [](double x) { return (x + 1.0) / 3.0; };
  CHECK(distance(doubles(lab, "random_uniform([20000], -1, 2, seed: 1)"), cdf) < 1.95);
  CHECK(distance(doubles(lab, "random_uniform([20000], -1, 2, float64, seed: 1)"), cdf) < 1.95);
  CHECK(distance(doubles(lab, "random_brightness([0.5], 1.5, seed: 1)[0]", 5000), cdf) < 1.95);
}

TEST_CASE("random_bool is true as often as it is asked to be", "[statistics]") {
  Lab lab;
  for (const auto& [p, low, high] : std::vector<std::tuple<std::string, int, int>>{{"0.0", 0, 0},
                                                                                   {"1.0", 4000, 4000},
                                                                                   {"0.5", 1870, 2130},
                                                                                   {"0.1", 325, 475},
                                                                                   {"0.999", 3980, 4000}}) {
    int count = 0;
    for (const Tensor& value : draw(lab, "_ -> random_bool(" + p + ", seed: 4)", 4000, 128))
      count += *value.as<bool>();
    INFO(p);
    CHECK(count >= low);
    CHECK(count <= high);
  }
  lab.check("p -> random_bool(p)", {"1.0", "-0.1", "0.0", "1.5", "nan"},
            {"true", "error", "false", "error", "error"}, "bool");
  lab.refuse("_ -> random_bool(2.0)", "0", "from 0 to 1");
}

TEST_CASE("random_shuffle gives every order equally often", "[statistics]") {
  Lab lab;
  int counts[24] = {};
  for (const Tensor& value : draw(lab, "_ -> random_shuffle([0, 1, 2, 3], seed: 6)", 12000, 128)) {
    const std::span<const int64_t> order = value.entries<int64_t>();
    int64_t number = 0;
    for (size_t i = 0; i < 4; ++i) {
      int64_t smaller = 0;
      for (size_t j = i + 1; j < 4; ++j) smaller += order[j] < order[i] ? 1 : 0;
      number = number * static_cast<int64_t>(4 - i) + smaller;
    }
    ++counts[number];
  }
  for (int count : counts) CHECK(std::abs(count - 500) < 100);
}

TEST_CASE("random_shuffle keeps parts together, of any dtype and rank") {
  Lab lab;
  lab.check("m -> let s = random_shuffle(m, seed: 1) in (sum(s, axis: 0), all(s[:, 1] == s[:, 0] + 1))",
            {"[[1, 2], [3, 4], [5, 6]]", "[[7, 8], [1, 2], [9, 10]]"},
            {"([9, 12], true)", "([17, 20], true)"});
  lab.check("x -> random_shuffle(x)", {"7", "9"}, {"7", "9"}, "int64");
  lab.check("v -> random_shuffle(v)", {"[\"a\"]", "[\"b\"]"}, {"[\"a\"]", "[\"b\"]"});
  lab.check("v -> random_shuffle(v)", {"zeros([0, 2])", "zeros([2, 0])"}, {"zeros([0, 2])", "zeros([2, 0])"});
  lab.check("n -> let s = random_shuffle(arange(n), seed: 3) in (sum(s), sum(s * s))", {"5", "0", "100"},
            {"(10, 30)", "(0, 0)", "(4950, 328350)"});
}

TEST_CASE("random_crop takes every place equally often", "[statistics]") {
  Lab lab;
  int counts[3][4] = {};
  for (const Tensor& value :
       draw(lab, "_ -> random_crop(reshape(arange(20), [4, 5]), [2, 2], seed: 6)", 6000, 128)) {
    const std::span<const int64_t> part = value.entries<int64_t>();
    REQUIRE(part[1] == part[0] + 1);
    REQUIRE(part[2] == part[0] + 5);
    REQUIRE(part[3] == part[0] + 6);
    ++counts[part[0] / 5][part[0] % 5];
  }
  for (const auto& row : counts) {
    for (int count : row) CHECK(std::abs(count - 500) < 100);
  }
}

TEST_CASE("random_crop of any rank, and sizes that do not fit") {
  Lab lab;
  lab.check("x -> random_crop(x, [2, 2, 1])[:, :, 0]",
            {"reshape(arange(4), [2, 2, 1])", "reshape(arange(4) + 4, [2, 2, 1])"},
            {"[[0, 1], [2, 3]]", "[[4, 5], [6, 7]]"});
  lab.check(
      "q -> let c = random_crop(q, [1, 3, 1, 2], seed: 2) in (shape(c), all(c[..., 1] == c[..., 0] + 1), c[0, 1, 0, 0] - c[0, 0, 0, 0], c[0, 2, 0, 0] - c[0, 1, 0, 0])",
      {"reshape(arange(48), [2, 3, 4, 2])"}, {"([1, 3, 1, 2], true, 8, 8)"});
  lab.check("x -> random_crop(x, [])", {"5"}, {"5"});
  lab.check("v -> random_crop(v, [2])", {"[1, 1]", "[1]", "[2, 2, 2]"}, {"[1, 1]", "error", "[2, 2]"},
            "int64[2]");
  lab.check("n -> random_crop(ones([3]), [n])", {"3", "4", "0", "-1"},
            {"ones([3])", "error", "zeros([0])", "error"}, "float32[?]");
  lab.check("s -> random_crop(s, [1, 0])", {"[[\"a\", \"b\"]]"}, {"reshape([\"a\"][:0], [1, 0])"});
  lab.refuse("v -> random_crop(v, [3])", "[1, 2]", "a size that fits into the shape [2], found [3]");
  lab.refuse("v -> random_crop(v, [1, 1])", "[1, 2]", "a size that fits");
  lab.refuse("v -> random_crop(v, [-1])", "[1, 2]", "0 and more");
}

TEST_CASE("random flips turn one half, each image of a batch for itself", "[statistics]") {
  Lab lab;
  int flipped[2] = {};
  int both = 0;
  for (const Tensor& value :
       draw(lab, "_ -> random_flip_left_right([[[[1], [2]]], [[[3], [4]]]], seed: 3)", 2000, 128)) {
    const std::span<const int64_t> images = value.entries<int64_t>();
    REQUIRE(images[0] + images[1] == 3);
    REQUIRE(images[2] + images[3] == 7);
    flipped[0] += images[0] == 2;
    flipped[1] += images[2] == 4;
    both += images[0] == 2 && images[2] == 4;
  }
  CHECK(std::abs(flipped[0] - 1000) < 90);
  CHECK(std::abs(flipped[1] - 1000) < 90);
  CHECK(std::abs(both - 500) < 80);
}

TEST_CASE("a seed is one number modulo 2^31 - 1, or a pair") {
  Lab lab;
  for (const std::string function : {"random_uniform([4]", "random_normal([4]", "random_shuffle(arange(9)",
                                     "random_crop(arange(99), [2]"}) {
    INFO(function);
    const auto drawn = [&](const std::string& seed) {
      return draw(lab, "_ -> " + function + ", seed: " + seed + ")", 3, 3);
    };
    const auto equal = [&](const std::string& a, const std::string& b) {
      const std::vector<Tensor> left = drawn(a);
      const std::vector<Tensor> right = drawn(b);
      for (size_t i = 0; i < left.size(); ++i) {
        if (!bit_equal(left[i], right[i])) return false;
      }
      return true;
    };
    CHECK(equal("5", "(87654321, 5)"));
    CHECK(equal("-3", "(87654321, 2147483644)"));
    CHECK(equal("2147483647", "(87654321, 0)"));
    CHECK(equal("1099511627776", "512"));
    CHECK_FALSE(equal("5", "6"));
    CHECK_FALSE(equal("(1, 2)", "(2, 1)"));
  }
}

TEST_CASE("a seed may be a variable, one for each row") {
  Lab lab;
  for (const int width : {1, 2, 7, 100}) {
    // The rows are 0, 1, 2, 0, 1, 2 …
    const auto by_row = draw(lab, "x -> random_uniform([2], seed: x)", 20, width);
    const auto by_pair = draw(lab, "x -> random_uniform([2], seed: (x, 5))", 20, width);
    const auto small = draw(lab, "x -> random_uniform([2], seed: uint8(x))", 20, width);
    for (int seed = 0; seed < 3; ++seed) {
      const std::string n = std::to_string(seed);
      const auto fixed = draw(lab, "x -> random_uniform([2], seed: " + n + ")", 20, 100);
      const auto pair = draw(lab, "x -> random_uniform([2], seed: (" + n + ", 5))", 20, 100);
      const auto named = draw(lab, "x -> let s = " + n + " in random_uniform([2], seed: s)", 20, width);
      for (size_t row = 0; row < 20; ++row) {
        CHECK(bit_equal(named[row], fixed[row]));
        if (static_cast<int>(row) % 3 != seed) continue;
        CHECK(bit_equal(by_row[row], fixed[row]));
        CHECK(bit_equal(small[row], fixed[row]));
        CHECK(bit_equal(by_pair[row], pair[row]));
      }
    }
  }
  lab.refuse("x -> random_uniform([2], seed: 1.5)", "1", "expected a seed");
  lab.refuse("x -> random_uniform([2], seed: float32(x))", "1", "an integer as the seed");
  lab.refuse("x -> random_uniform([2], seed: [x, x])", "1", "an integer as the seed");
  lab.refuse("x -> random_uniform([2], seed: (x, x, x))", "1", "expected a seed");
}

}  // namespace weir::test
