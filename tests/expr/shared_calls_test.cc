// Calls that compute the same are made once.
#include "expr/harness.h"
#include "expr/run/compiled.h"

namespace weir::test {
namespace {

// The number of instructions, branches of `if` included.
size_t count(const Program& program) {
  size_t out = program.code.size();
  for (const Instruction& instruction : program.code) {
    if (instruction.kind != Instruction::Kind::branch) continue;
    out += count(*instruction.then_program) + count(*instruction.else_program);
  }
  return out;
}

size_t instructions(Lab& lab, const std::string& lambda, const std::string& row) {
  INFO(lambda);
  Spec input;
  lab.value(row, &input);
  Result<FunctionRef> f = lab.compile(lambda, input);
  if (!f.ok()) FAIL(f.status().error().message);
  return count(static_cast<const CompiledFunction&>(**f).program());
}

}  // namespace

TEST_CASE("equal calls are one instruction") {
  Lab lab;
  const struct {
    const char* lambda;
    const char* row;
    size_t instructions;
  } cases[] = {
      {"x -> (x + 1, x + 1)", "3", 1},
      {"x -> (x * x + 1) * (x * x + 1)", "3", 3},
      {"x -> let y = x * 2 in (y + 1, x * 2 + 1)", "3", 2},
      {"v -> (v[1:], v[1:], v[0], v[-3])", "[1, 2, 3]", 3},
      {"(v, i) -> v[i] + v[i]", "([1, 2, 3], 1)", 2},
      {"v -> (v - mean(v)) / std(v - mean(v))", "[1.0, 2.0]", 4},
      {"s -> (parse_example(s, {a: float32 = 0.0}).a, parse_example(s, {a: float32 = 0.0}).a)", "\"\"", 1},
      {"s -> (regex_replace(s, \"a\", \"b\"), regex_replace(s, \"a\", \"b\"))", "\"a\"", 1},
      {"x -> if x > 0 then (x + 1) * (x + 1) else x", "3", 4},
  };
  for (const auto& each : cases) CHECK(instructions(lab, each.lambda, each.row) == each.instructions);
}

TEST_CASE("calls that differ in anything are two instructions") {
  Lab lab;
  const struct {
    const char* lambda;
    const char* row;
    size_t instructions;
  } cases[] = {
      {"x -> (x + 1, 1 + x)", "3", 2},
      {"x -> (x + 1, x - 1)", "3", 2},
      {"x -> (int32(x), int64(x) + 1, float32(x))", "int16(3)", 4},
      {"v -> (sum(v, axis: 0), sum(v, axis: 1))", "[[1], [2]]", 2},
      {"v -> (v[1:], v[:1])", "[1, 2, 3]", 2},
      {"x -> (x / 0.0, x / -0.0)", "1.0", 2},
      {"s -> (decode_csv(s, [1]).0, decode_csv(s, [2]).0)", "\"3\"", 2},
      {"s -> (parse_example(s, {a: float32 = 0.0}).a, parse_example(s, {a: float32 = 1.0}).a)", "\"\"", 2},
      // Equal text, but the names mean other values.
      {"v -> (let a = 0 in sum(v, axis: a), let a = 1 in sum(v, axis: a))", "[[1], [2]]", 2},
      {"s -> (let d = 1 in decode_csv(s, [d]).0, let d = 2 in decode_csv(s, [d]).0)", "\"3\"", 2},
      {"(x, y) -> (let z = x in z + 1, let z = y in z + 1)", "(1, 2)", 2},
      // Draws are never the same.
      {"_ -> (random_uniform([]), random_uniform([]))", "1", 2},
      {"_ -> (random_uniform([], seed: 3), random_uniform([], seed: 3))", "1", 2},
  };
  for (const auto& each : cases) CHECK(instructions(lab, each.lambda, each.row) == each.instructions);
}

TEST_CASE("shared calls give the values and the errors of both") {
  Lab lab;
  lab.check("x -> (x + 1, x + 1, (x + 1) * 2)", {"1", "2", "5"}, {"(2, 2, 4)", "(3, 3, 6)", "(6, 6, 12)"});
  lab.check("x -> (10 // x, 10 // x)", {"5", "0", "2"}, {"(2, 2)", "error", "(5, 5)"});
  lab.check("x -> (if x > 0 then 10 // x else 1, 10 // x)", {"5", "0", "-2"}, {"(2, 2)", "error", "(1, -5)"});
  lab.check("s -> (lower(s), lower(s) + upper(s))", {"\"aB\"", "\"C\""},
            {"(\"ab\", \"abAB\")", "(\"c\", \"cC\")"});
  lab.check("v -> (v * 2, v * 2)", {"[1]", "[1, 2]", "[3]"},
            {"([2], [2])", "([2, 4], [2, 4])", "([6], [6])"});
}

}  // namespace weir::test
