#include <cmath>
#include <set>

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

TEST_CASE("draws do not depend on the block") {
  Lab lab;
  for (const std::string lambda :
       {"_ -> random_uniform([7], seed: 5)", "n -> random_uniform([n + 1], seed: 5)",
        "_ -> random_uniform([3], -5, 6, dtype: int8, seed: (1, 2))",
        "_ -> random_uniform([], dtype: float64, seed: 5)",
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

TEST_CASE("random_uniform refuses empty ranges and other dtypes") {
  Lab lab;
  lab.refuse("_ -> random_uniform([2], 1, 1)", "0", "max to be greater than min");
  lab.refuse("_ -> random_uniform([2], dtype: string)", "0", "string");
  lab.refuse("v -> random_uniform([2], v, 5.0)", "[1.0]", "min to be a scalar");
  lab.check("x -> let u = random_uniform([2], x, 2.0, seed: 1) in all(u >= x and u < 2.0)",
            {"1.0", "3.0", "-1.0"}, {"true", "error", "true"});
}

}  // namespace weir::test
