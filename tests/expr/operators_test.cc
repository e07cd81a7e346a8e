#include "expr/harness.h"

namespace weir::test {

TEST_CASE("arithmetic wraps, broadcasts and keeps dtypes") {
  Lab lab;
  lab.check("(a, b) -> (a + b, a - b, a * b)", {"(7, 2)", "(-7, 3)", "(0, -4)"},
            {"(9, 5, 14)", "(-4, -10, -21)", "(-4, 4, 0)"}, "(int64, int64, int64)");
  lab.check("x -> (x + 1, x * x)", {"9223372036854775807"}, {"(-9223372036854775808, 1)"});
  lab.check("x -> (x + 1, x - 1, x * 3)", {"uint8(0)", "uint8(255)"},
            {"(uint8(1), uint8(255), uint8(0))", "(uint8(0), uint8(254), uint8(253))"});
  lab.check("(a, b) -> a * b", {"(uint16(65535), uint16(65535))"}, {"uint16(1)"});
  lab.check("(c, r) -> c + r", {"([[1], [2]], [10, 20, 30])"}, {"[[11, 21, 31], [12, 22, 32]]"},
            "int64[2, 3]");
  lab.check("v -> (v * 10, 10 - v)", {"[1, 2, 3]"}, {"([10, 20, 30], [9, 8, 7])"});
}

// What repeats along the last dimensions goes through memory of a few thousand bytes: more than fits, with a
// rest, other values in each row, and what doesn't fit.
TEST_CASE("arguments that repeat along the last dimensions are those that gather brings to each entry") {
  Lab lab;
  const std::vector<std::string> rows = {"2", "3", "7"};
  const std::vector<std::string> truths = {"true", "true", "true"};
  const auto check = [&](const std::string& x, const std::string& r, const std::string& dims, int period) {
    const std::string each = "reshape(gather(reshape(" + r + ", [-1]), arange(size(" + x + ")) % " +
                             std::to_string(period) + "), " + dims + ")";
    INFO(x << " with " << r);
    lab.check("n -> all(" + x + " * " + r + " == " + x + " * " + each + ")", rows, truths);
    lab.check("n -> all(" + r + " - " + x + " == " + each + " - " + x + ")", rows, truths);
    lab.check("n -> all(where(" + x + " > " + r + ", " + x + ", -1) == where(" + x + " > " + each + ", " + x +
                  ", -1))",
              rows, truths);
  };
  check("reshape(arange(4200) * n, [600, 7])", "(arange(7) - n)", "[600, 7]", 7);
  check("reshape(arange(4200), [600, 7])", "(arange(7) - n)", "[600, 7]", 7);
  check("reshape(arange(4200) * n, [600, 7])", "reshape(arange(7), [1, 7])", "[600, 7]", 7);
  check("reshape(arange(1030) * n, [2, 1, 515])", "reshape(arange(515) * n, [1, 515])", "[2, 1, 515]", 515);
  check("reshape(arange(4200) * n, [100, 6, 7])", "reshape(arange(42) * n, [6, 7])", "[100, 6, 7]", 42);
  check("reshape(arange(6) * n, [2, 3])", "(arange(3) - n)", "[2, 3]", 3);
  lab.check(
      "n -> all(uint8(reshape(arange(5000), [1250, 4])) + uint8(arange(4) * n) == "
      "uint8(reshape(arange(5000) + gather(arange(4) * n, arange(5000) % 4), [1250, 4])))",
      rows, truths);
  // Two that repeat, one within the other.
  lab.check(
      "n -> all(clip(reshape(arange(1200) * n, [50, 4, 6]), reshape(arange(24), [4, 6]), arange(6) + 500) == "
      "clip(reshape(arange(1200) * n, [50, 4, 6]), reshape(gather(arange(24), arange(1200) % 24), [50, 4, 6]), "
      "reshape(gather(arange(6) + 500, arange(1200) % 6), [50, 4, 6])))",
      rows, truths);
  // Along another dimension, in several rows.
  lab.check(
      "n -> all(reshape(arange(120), [40, 3]) * reshape(arange(40) - n, [40, 1]) == "
      "reshape(arange(120) * (arange(120) // 3 - n), [40, 3]))",
      rows, truths);
  const std::string divide = "n -> sum(reshape(arange(1536), [512, 3]) // (arange(3) - n))";
  lab.check(divide, {"-1", "0", "2", "3"}, {"719616", "error", "error", "-720896"});
  lab.check("n -> sum(string_length(as_string(reshape(arange(1200), [400, 3])) + [\"a\", \"bb\", \"\"]))",
            {"0"}, {"4890"});
}

TEST_CASE("arguments that repeat in some dimensions give what their copies would") {
  Lab lab;
  const std::vector<std::string> shapes = {"[4, 1, 1, 1]", "[1, 3, 1, 1]", "[3, 5, 1]",    "[4, 1, 5, 2]",
                                           "[1, 5, 1]",    "[4, 3, 1, 1]", "[1, 1, 5, 2]", "[4, 1, 5, 1]",
                                           "[4, 3, 5, 2]", "[2]",          "[5, 1]",       "[1, 3, 1, 2]",
                                           "[3, 1, 2]",    "[4, 3, 5, 1]"};
  for (const std::string& a : shapes) {
    for (const std::string& b : shapes) {
      INFO(a << " and " << b);
      const auto argument = [](const std::string& shape, const std::string& from) {
        return "reshape((arange(prod(" + shape + ")) * " + from + " + x) % 11, " + shape + ")";
      };
      const std::string document =
          "x -> let a = " + argument(a, "3") + " in let b = " + argument(b, "5") +
          " in let s = zeros([4, 3, 5, 2], dtype: int64) in let p = a + s in let q = b + s in "
          "(all(a - b + s == p - q), all(where(a > b, a + s, b) == where(p > q, p, q)))";
      lab.check(document, {"0", "4", "9"}, {"(true, true)", "(true, true)", "(true, true)"});
    }
  }
}

TEST_CASE("division follows Python's signs, and by zero fails its element only") {
  Lab lab;
  const std::vector<std::string> rows = {"(7, 2)", "(-7, 2)", "(7, -2)", "(-7, -2)", "(1, 0)", "(100, 9)"};
  lab.check("(a, b) -> (a // b, a % b)", rows,
            {"(3, 1)", "(-4, 1)", "(-4, -1)", "(3, -1)", "error", "(11, 1)"});
  lab.check("v -> 30 // v", {"[1, 2]", "[3, 0]", "[5, 6]"}, {"[30, 15]", "error", "[6, 5]"});
  lab.check("(a, b) -> (a // b, a % b)", {"(7.5, -2.0)", "(-7.5, 2.0)", "(4.0, 0.5)"},
            {"(-4.0, -0.5)", "(-4.0, 0.5)", "(8.0, 0.0)"});
  lab.check("x -> x / 255", {"uint8(51)"}, {"0.2"}, "float32");
  lab.check("x -> (12 / x, x // -1)", {"3", "-9223372036854775808"},
            {"(float64(4.0), -3)", "(float64(12) / float64(-9223372036854775808), -9223372036854775808)"});
}

TEST_CASE("powers bind to the right and stronger than minus") {
  Lab lab;
  lab.check("x -> (-x ** 2, 2 ** 3 ** 2, x ** 5)", {"3", "-3"}, {"(-9, 512, 243)", "(-9, 512, -243)"});
  lab.check("(a, b) -> a ** b", {"(2, 10)", "(2, -1)"}, {"1024", "error"});
  lab.check("x -> x ** 3.0", {"-8.0", "0.0"}, {"-512.0", "0.0"});
}

TEST_CASE("comparisons give bool; strings compare by bytes") {
  Lab lab;
  lab.check("(a, b) -> (a == b, a != b, a < b, a >= b)", {"(nan, nan)", "(-inf, inf)", "(-0.0, 0.0)"},
            {"(false, true, false, false)", "(false, true, true, false)", "(true, false, false, true)"});
  lab.check("(a, b) -> (a < b, a == b)", {"(\"ab\", \"b\")", "(\"\\xff\", \"a\")"},
            {"(true, false)", "(false, false)"});
  lab.check("(a, b) -> a - b > b", {"(uint64(0), uint64(1))"}, {"true"});
  lab.check("t -> (true or t and false, not t)", {"true", "false"}, {"(true, false)", "(true, true)"});
}

TEST_CASE("strings join") {
  Lab lab;
  lab.check("(a, b) -> a + \"-\" + b", {"(\"ab\", \"c\")", "(\"\", \"\\x00e\")"},
            {"\"ab-c\"", "\"-\\x00e\""});
  lab.check("v -> v + [[\"1\"], [\"2\"]]", {"[\"a\", \"b\"]"}, {"[[\"a1\", \"b1\"], [\"a2\", \"b2\"]]"});
}

TEST_CASE("halves compute in float and round") {
  Lab lab;
  lab.check("v -> (v / 3.0, v * v)", {"float16([0.5, 2.0])"},
            {"(float16([0.1666, 0.6665]), float16([0.25, 4.0]))"});
  lab.check("v -> v * 1.5", {"bfloat16([0.5, 3.0])"}, {"bfloat16([0.75, 4.5])"});
}

TEST_CASE("literals adapt within their class, and only if they fit") {
  Lab lab;
  lab.check("(a, b) -> (a + 1, 2 * b)", {"(int8(1), float64(2.5))"}, {"(int8(2), float64(5.0))"});
  lab.check("x -> x * 3", {"float64(0.1)"}, {"float64(0.30000000000000004)"});
  lab.check("(a, b) -> let k = 2 in (a * k, b * k, k)", {"(uint8([250, 3]), float64(0.5))"},
            {"(uint8([244, 6]), float64(1.0), 2)"});
  lab.check("(a, b) -> ([a, 1, 2.5], [b, 1])", {"(float64(0.5), uint8(7))"},
            {"(float64([0.5, 1.0, 2.5]), uint8([7, 1]))"});
  lab.check("e -> e + 1", {"[]"}, {"[]"}, "float32[0]");
  lab.refuse("v -> v + (1 + 2)", "uint8([1, 2])", "uint8");
  lab.refuse("x -> x + 300", "uint8(1)", "300 does not fit uint8");
  lab.refuse("x -> x + 0.5", "1", "0.5 does not fit int64; write float32(…) around the other operand");
  lab.refuse("x -> 0.5 < x", "1", "write float32(…) around the other operand");
  lab.refuse("x -> [x, 0.5]", "1", "write float32(…) around the other members");
  lab.refuse("x -> maximum(x, 0.5)", "1", "write float32(…) around the other arguments");
  lab.refuse("x -> if x > 0 then x else 0.5", "1", "write float32(…) around the other branch");
  lab.refuse("x -> x + 300", "uint8(1)", "write int64(…) around the other operand");
  lab.refuse("x -> uint8(300) + x", "uint8(1)", "300 does not fit uint8");
  lab.refuse("x -> x + 18446744073709551615", "1", "does not fit int64");
}

TEST_CASE("a cast of a float that no integer reaches gives the nearest one, then wraps") {
  Lab lab;
  lab.check("x -> (int64(x), uint64(x), int32(x), uint8(x))", {"inf", "-inf", "nan", "1e19", "-1.5"},
            {"(9223372036854775807, uint64(18446744073709551615), int32(-1), uint8(255))",
             "(-9223372036854775808, uint64(9223372036854775808), int32(0), uint8(0))",
             "(0, uint64(0), int32(0), uint8(0))",
             "(9223372036854775807, uint64(9999999980506447872), int32(-1), uint8(0))",
             "(-1, uint64(18446744073709551615), int32(-1), uint8(255))"});
}

TEST_CASE("members of a list that differ in shape are named, a scalar too") {
  Lab lab;
  lab.refuse("x -> [x, [1]]", "0", "differ in shape: [] and [1]");
}

TEST_CASE("one unnamed argument is the first parameter where the single one is named") {
  Lab lab;
  lab.check("_ -> (arange(1, stop: 3), arange(3), arange(stop: 2))", {"0"}, {"([1, 2], [0, 1, 2], [0, 1])"});
}

TEST_CASE("mistakes are found when the expression is built") {
  Lab lab;
  lab.refuse("(a, b) -> a + b", "(1, 2.5)", "write float32(…) around the other one");
  lab.refuse("(a, b) -> a * b", "(2.5, 1)", "write float32(…) around this one");
  lab.refuse("(a, b) -> a == b", "(true, 1)", "bool");
  lab.refuse("x -> x and true", "1", "bool");
  lab.refuse("s -> -s", "\"a\"", "string");
  lab.refuse("(a, b) -> a + b", "([1, 2], [1, 2, 3])", "broadcast");
  lab.refuse("t -> t + 1", "(1, 2)", "tensor");
  lab.refuse("x -> sqr(x)", "1.0", "sqrt");
  lab.refuse("x -> maximum(x)", "1", "'b'");
  lab.refuse("abc -> abd + 1", "1", "did you mean abc?");
  lab.refuse("x -> int64(x)", "\"1\"", "to_number");
}

}  // namespace weir::test
