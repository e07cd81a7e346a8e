// Consecutive functions that compute entry by entry run as tiles or piece by piece, and give what they give
// one by one.
#include "expr/run/chain.h"

#include <cmath>
#include <limits>

#include "core/cpu.h"
#include "core/tensor.h"
#include "expr/harness.h"
#include "expr/run/compiled.h"
#include "expr/run/evaluate.h"

namespace weir::test {
namespace {

const Program& program_of(const FunctionRef& f) { return static_cast<const CompiledFunction&>(*f).program(); }

FunctionRef compile(Lab& lab, const std::string& lambda, const Spec& input) {
  INFO(lambda);
  Result<FunctionRef> f = lab.compile(lambda, input);
  if (!f.ok()) FAIL(f.status().error().message);
  return *f;
}

// The function's results by single instructions: a row that failed before keeps others from running together.
Block one_by_one(Lab& lab, const Function& f, const Block& in) {
  Block with_failed = in;
  with_failed.append(in, 0, 1);
  with_failed.errors.push_back({in.rows, internal_error("on purpose").pointer()});
  Block out;
  f.call({.session = *lab.world.session, .key = 7}, with_failed, out);
  REQUIRE(out.rows == in.rows + 1);
  return out.slice(0, in.rows);
}

void check_equal(Lab& lab, const std::string& lambda, const Block& in, const Spec& spec) {
  INFO(lambda);
  const FunctionRef f = compile(lab, lambda, spec);
  REQUIRE(program_of(f).code[0].begins_chain);
  Block together;
  clear_upper_halves();
  f->call({.session = *lab.world.session, .key = 7}, in, together);
  REQUIRE(!upper_halves_in_use());
  REQUIRE(together.errors.empty());
  const Block apart = one_by_one(lab, *f, in);
  for (int row = 0; row < in.rows; ++row) {
    const Components have = together.row(row);
    const Components want = apart.row(row);
    REQUIRE(have.size() == want.size());
    for (size_t i = 0; i < want.size(); ++i) REQUIRE(bit_equal(have[i], want[i]));
  }
}

// How many instructions run together from the first on.
size_t length(Lab& lab, const std::string& lambda, const Block& in, const Spec& spec,
              int64_t tensor_bytes = int64_t{1} << 30) {
  INFO(lambda);
  const FunctionRef f = compile(lab, lambda, spec);
  Frame frame(program_of(f));
  for (size_t i = 0; i < in.columns.size(); ++i) frame.slots[i].borrow(in.columns[i]);
  const Call call{.tensor_bytes = tensor_bytes};
  return Chain(program_of(f), frame, 0, in.rows, call).end();
}

// Rows of (a float32[n] of fractions, and a scalar of each row).
Block rows_of(Lab& lab, int rows, const std::string& n, Spec* spec) {
  std::vector<std::string> texts;
  for (int i = 0; i < rows; ++i) {
    const std::string row = std::to_string(i);
    texts.push_back("((float32(arange(" + n + ")) - 300.0) * (0.0371 + float32(" + row + ")), float32(" +
                    row + "))");
  }
  return lab.block(texts, spec);
}

}  // namespace

TEST_CASE("a chain gives the bytes of its instructions") {
  Lab lab;
  // Rows smaller than a piece, about as large, and larger; also an odd size.
  const std::pair<int, const char*> sizes[] = {{11, "784"}, {3, "8192"}, {2, "8193"}, {3, "10007"},
                                               {9000, "1"}, {1, "784"},  {128, "64"}, {7, "65"},
                                               {1, "31"},   {3, "33"},   {130, "1"}};
  for (const auto& [rows, n] : sizes) {
    INFO(rows << " rows of " << n);
    Spec spec;
    const Block in = rows_of(lab, rows, n, &spec);
    for (
        const char* lambda : {
            "(v, _) -> clip((v / 255.0 - 0.5) * 2.0, -1.0, 1.0)",
            // Results used on the way, and several times.
            "(v, _) -> let a = v * 3.0 in let b = a + 1.5 in (a, b * a, exp(b) - a)",
            // Other dtypes and widths.
            "(v, _) -> where(float64(v) * 0.5 > 3.0, int32(v), int32(v) * 2)",
            "(v, _) -> not (v > 1.0 and v < 9.0)",
            // A scalar of the row.
            "(v, s) -> (v - s) * s + 1.0",
            "(v, s) -> s - v * s",
            // Functions of one's own implementation.
            "(v, _) -> tanh(sin(v) * 0.25) + log(abs(v))",
            // Bytes and bools beside wider entries, on either side.
            "(v, _) -> let b = uint8(v) in (float32(b) / 255.0, b > uint8(9))",
            "(v, _) -> (where(v > 3.0, v * 2.0, 1.0 - v), where(v > 3.0 or v < -3.0, v, 0.5) - v)",
            "(v, _) -> let m = v > 0.0 in let a = abs(v) in (where(m, a, -a), m and a > 5.0, float32(m) - a)",
        }) {
      check_equal(lab, lambda, in, spec);
    }
  }
}

namespace {

template <class T>
Tensor tensor_of(const std::vector<T>& values) {
  Tensor out = Tensor::allocate(dtype_of<T>, Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), out.entries<T>().begin());
  return out;
}

// Every pair of some values, as the entries of two vectors.
template <class T>
Block pairs_of(const std::vector<T>& values, Spec* spec) {
  std::vector<T> a;
  std::vector<T> b;
  for (T x : values) {
    for (T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  *spec = Spec::tuple({Spec::tensor(dtype_of<T>, Shape{static_cast<int64_t>(a.size())}),
                       Spec::tensor(dtype_of<T>, Shape{static_cast<int64_t>(a.size())})});
  Block out;
  out.set_row({tensor_of(a), tensor_of(b)});
  return out;
}

// All of the lambda's instructions run as steps, and give the bits of its functions.
void check_steps(Lab& lab, const std::string& lambda, const Block& in, const Spec& spec) {
  INFO(lambda);
  const FunctionRef f = compile(lab, lambda, spec);
  const Program& program = program_of(f);
  REQUIRE(program.code[0].tile_plan == 0);
  CHECK(program.tile_plans[0].end == program.code.size());
  check_equal(lab, lambda, in, spec);
}

// The operations of all numbers, with what stands in the tile on either side and in no place of its own.
const char* const kOfNumbers[] = {
    "(a, b) -> (a + b, a - b, b - a, a * b, minimum(a, b), maximum(a, b), minimum(b, a), maximum(b, a))",
    "(a, b) -> let s = a * b in (s - a, minimum(s, b))",
    "(a, b) -> let s = maximum(a, b) in (a - s, maximum(b, s))",
    "(a, b) -> let s = square(a) in (minimum(b, s), s + s)",
    "(a, b) -> (a == b, a != b, a < b, a <= b, a > b, a >= b)",
    "(a, b) -> let s = -a in (b < s, s < b)",
    "(a, b) -> let s = abs(a) in (b <= s, b >= s, b > s, b == s)",
    "(a, b) -> (abs(a), -a, sign(a), square(a), clip(a, b, square(b)), clip(b, a, a))",
    "(a, b) -> (where(a < b, a, b), where(a == b, b, a), where(not (a < b) or a > b and b == b, a, b))",
};
const char* const kOfFloats[] = {
    "(a, b) -> (a / b, b / a, floor(a), ceil(a), round(a), reciprocal(a), is_nan(a), is_finite(a))",
    "(a, b) -> let s = floor(a) in (b / s, s / b)",
    "(a, b) -> (sqrt(abs(a)), rsqrt(abs(a)), bool(a), where(is_nan(a), b, a))",
};

}  // namespace

TEST_CASE("steps over tiles give the bits of functions") {
  Lab lab;
  Spec spec;
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> floats = {0.0f,   -0.0f, 1.0f, -1.5f, 0.5f, 2.5f, -2.5f,   1e-42f,
                                     -3e38f, 3e38f, inf,  -inf,  7.3f, 1e9f, -1e-20f, std::nanf("")};
  for (const CpuLevel level : {CpuLevel::baseline, CpuLevel::avx2}) {
    limit_cpu_level(level);
    const Block singles = pairs_of<float>(floats, &spec);
    for (const char* lambda : kOfNumbers) check_steps(lab, lambda, singles, spec);
    for (const char* lambda : kOfFloats) check_steps(lab, lambda, singles, spec);
    const Block doubles = pairs_of<double>({floats.begin(), floats.end()}, &spec);
    for (const char* lambda : kOfNumbers) check_steps(lab, lambda, doubles, spec);
    for (const char* lambda : kOfFloats) check_steps(lab, lambda, doubles, spec);
    const std::vector<int32_t> ints = {0, 1, -1, 7, -9, 70000, -65536, INT32_MAX, INT32_MIN, INT32_MIN + 1};
    const Block words = pairs_of<int32_t>(ints, &spec);
    for (const char* lambda : kOfNumbers) check_steps(lab, lambda, words, spec);
    check_steps(lab, "(a, b) -> (float32(a) + float32(b), bool(a) == bool(b))", words, spec);
    const std::vector<int64_t> longs = {0, 1, -1, 5'000'000'000, -9, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    const Block wide = pairs_of<int64_t>(longs, &spec);
    for (const char* lambda : kOfNumbers) check_steps(lab, lambda, wide, spec);
    check_steps(lab, "(a, b) -> (float64(a) / float64(b), bool(a) == bool(b))", wide, spec);
    const Block bytes = pairs_of<uint8_t>({0, 1, 2, 100, 127, 128, 200, 254, 255}, &spec);
    check_steps(lab, "(a, b) -> (float32(a) - float32(b), minimum(a, b), clip(a, b, uint8(200)), a < b)",
                bytes, spec);
    check_steps(lab, "(a, b) -> (where(a < b, a, b), int32(a) - int32(b), bool(a))", bytes, spec);
    check_steps(lab, "(a, b) -> (float64(a) / float64(b), int64(a) * int64(b))", bytes, spec);
  }
}

TEST_CASE("values of a branch are computed together, too") {
  Lab lab;
  lab.check("(v, s) -> let w = if s > 0.5 then v * 2.0 + 1.0 else v - s * 2.0 in sum(w * 0.5 + 1.0)",
            {"(ones([9000]), 0.0)", "(ones([9000]), 1.0)"}, {"13500.0", "22500.0"});
}

TEST_CASE("rows of other shapes, failed ones and large ones are computed one by one") {
  Lab lab;
  lab.check("v -> sum(v * 2.0 + 1.0)", {"ones([5000])", "ones([6000])", "ones([1])"},
            {"15000.0", "18000.0", "3.0"});
  lab.check("(v, i) -> sum(float64(v) * 2.0 + float64(6 // i))", {"(ones([5000]), 3)", "(ones([5000]), 0)"},
            {"float64(20000.0)", "error"});
}

TEST_CASE("what is a chain") {
  Lab lab;
  Spec spec;
  const Block in = rows_of(lab, 11, "784", &spec);
  CHECK(length(lab, "(v, _) -> v / 255.0 - 0.5", in, spec) == 2);
  CHECK(length(lab, "(v, _) -> (v / 255.0 - 0.5) * sum(v * 2.0)", in, spec) == 3);
  CHECK(length(lab, "(v, s) -> (v - s) * s", in, spec) == 2);
  // Another shape comes in.
  CHECK(length(lab, "(v, _) -> (v * 2.0 + 1.0) * ones([2, 784])", in, spec) == 2);
  // The second one only computes scalars.
  CHECK(length(lab, "(v, s) -> v * 2.0 + s * 3.0", in, spec) == 0);
  // Too little for a piece.
  const Block small = rows_of(lab, 5, "784", &spec);
  CHECK(length(lab, "(v, _) -> v / 255.0 - 0.5", small, spec) == 0);
  // A result would be too large: that is an error by row.
  CHECK(length(lab, "(v, _) -> float64(v) - 0.5", in, spec, 11 * 784 * 8) == 2);
  CHECK(length(lab, "(v, _) -> float64(v) - 0.5", in, spec, 11 * 784 * 8 - 1) == 0);
}

}  // namespace weir::test
