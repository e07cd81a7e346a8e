#include "expr/harness.h"

namespace weir::test {

TEST_CASE("zeros, ones and full") {
  Lab lab;
  lab.check("_ -> (zeros([2, 3]), ones([2]), zeros([]), ones([1, 1], dtype: bool), full([2], 7))", {"0"},
            {"([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [1.0, 1.0], 0.0, [[true]], [7, 7])"},
            "(float32[2, 3], float32[2], float32, bool[1, 1], int64[2])");
  lab.check(
      "n -> (zeros([2, n], int64), ones([n], float16), full([n, 1], n))", {"0", "2", "-1", "1"},
      {"(int64(zeros([2, 0])), float16(zeros([0])), int64(zeros([0, 1])))",
       "([[0, 0], [0, 0]], float16([1.0, 1.0]), [[2], [2]])", "error", "([[0], [0]], float16([1.0]), [[1]])"},
      "(int64[2, ?], float16[?], int64[?, 1])");
  lab.check("(s, v) -> full(s, v)", {"([2, 1], \"ab\")", "([1, 2], \"c\")"},
            {"[[\"ab\"], [\"ab\"]]", "[[\"c\", \"c\"]]"}, "string[?, ?]");
  lab.check("n -> zeros([n], dtype: string)", {"2"}, {"[\"\", \"\"]"}, "string[?]");
  lab.refuse("_ -> zeros([-1])", "0", "found -1");
  lab.refuse("_ -> ones([1], dtype: string)", "0", "a string has no one");
  lab.refuse("v -> full([2], v)", "[1, 2]", "expected the value to be a scalar");
  lab.refuse("_ -> zeros([1, 1, 1, 1, 1, 1, 1, 1, 1])", "0", "at most 8 dimensions");
}

TEST_CASE("an absurd shape is an error of its element") {
  Lab lab;
  lab.check("n -> sum(zeros([n, n]))", {"3", "4611686018427387904", "1099511627776", "1"},
            {"0.0", "error", "error", "0.0"});
}

TEST_CASE("zeros_like and ones_like") {
  Lab lab;
  lab.check("(a, b, c) -> (zeros_like(a), ones_like(a), zeros_like(b), ones_like(c))",
            {"([[1, 2]], \"x\", true)"}, {"([[0, 0]], [[1, 1]], \"\", true)"},
            "(int64[1, 2], int64[1, 2], string, bool)");
  lab.check("v -> ones_like(v)", {"complex64([0.0, 1.0])"}, {"complex64([1.0, 1.0])"});
  lab.refuse("s -> ones_like(s)", "\"x\"", "found string");
}

TEST_CASE("arange") {
  Lab lab;
  lab.check("_ -> (arange(5), arange(0), arange(2, 8, 3), arange(5, 0, step: -2))", {"0"},
            {"([0, 1, 2, 3, 4], int64(zeros([0])), [2, 5], [5, 3, 1])"},
            "(int64[5], int64[0], int64[2], int64[3])");
  lab.check("n -> arange(n)", {"0", "1", "3", "-2"}, {"int64(zeros([0]))", "[0]", "[0, 1, 2]", "error"},
            "int64[?]");
  lab.check("(a, b, s) -> arange(a, b, s)", {"(0, 5, 2)", "(0, 5, 0)", "(5, 0, -3)", "(0, 5, -1)"},
            {"[0, 2, 4]", "error", "[5, 2]", "error"});
  lab.check("x -> arange(0.0, x, 0.5)", {"2.0", "1.75", "inf"},
            {"[0.0, 0.5, 1.0, 1.5]", "[0.0, 0.5, 1.0, 1.5]", "error"}, "float32[?]");
  lab.check("x -> arange(250, x)", {"uint8(255)"}, {"uint8([250, 251, 252, 253, 254])"});
  lab.check("x -> size(arange(x, 9223372036854775807, 4611686018427387904))", {"-9223372036854775808", "0"},
            {"4", "2"});
  lab.refuse("_ -> arange(0, 5, 0)", "0", "a step other than 0");
  lab.refuse("v -> arange(v)", "[1]", "expected stop to be a scalar");
}

TEST_CASE("one_hot") {
  Lab lab;
  lab.check("i -> one_hot(i, 3)", {"0", "2", "-1", "3"},
            {"[1.0, 0.0, 0.0]", "[0.0, 0.0, 1.0]", "[0.0, 0.0, 0.0]", "[0.0, 0.0, 0.0]"}, "float32[3]");
  lab.check("m -> one_hot(m, 2, on: 5, off: -1, dtype: int8)", {"uint8([[0, 1], [255, 0]])"},
            {"int8([[[5, -1], [-1, 5]], [[-1, -1], [5, -1]]])"}, "int8[2, 2, 2]");
  lab.check("(i, d) -> one_hot(i, d, dtype: float64)", {"(1, 2)", "(0, 1)", "(0, -1)", "(0, 0)"},
            {"float64([0.0, 1.0])", "float64([1.0])", "error", "float64(zeros([0]))"}, "float64[?]");
  lab.check("i -> one_hot(i, 2, on: \"yes\", off: \"no\", dtype: string)", {"1"}, {"[\"no\", \"yes\"]"});
  lab.refuse("v -> one_hot(v, 3)", "[1.0]", "expected integers as positions, found float32");
  lab.refuse("v -> one_hot(v, -3)", "1", "found -3");
}

TEST_CASE("bitcast") {
  Lab lab;
  lab.check("v -> (bitcast(v, int32), bitcast(v, uint32))", {"[1.0, -2.0, 0.0]"},
            {"(int32([1065353216, -1073741824, 0]), uint32([1065353216, 3221225472, 0]))"},
            "(int32[3], uint32[3])");
  lab.check("v -> bitcast(v, uint8)", {"int32([1, 258])", "int32([-1, 0])"},
            {"uint8([[1, 0, 0, 0], [2, 1, 0, 0]])", "uint8([[255, 255, 255, 255], [0, 0, 0, 0]])"},
            "uint8[2, 4]");
  lab.check("v -> bitcast(v[1:], int16)", {"uint8([9, 1, 2])"}, {"int16(513)"});
  lab.check("v -> bitcast(v, int32) + 1", {"[0.0]"}, {"int32([1])"});
  lab.check("n -> bitcast(uint8(arange(n)), int32)", {"4", "5"}, {"int32(50462976)", "error"}, "int32");
  lab.refuse("v -> bitcast(v, int32)", "uint8([1, 2, 3])", "expected a last dimension of 4");
  lab.refuse("s -> bitcast(s, int32)", "\"abcd\"", "found string");
}

TEST_CASE("eye") {
  Lab lab;
  lab.check("n -> (eye(n), eye(3, dtype: int8), eye(1, bool), eye(2, bfloat16), eye(1, complex64))",
            {"-1", "0", "2"},
            {"error",
             "(zeros([0, 0]), int8([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), [[true]], bfloat16([[1, 0], [0, 1]]), "
             "complex64([[1]]))",
             "([[1.0, 0.0], [0.0, 1.0]], int8([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), [[true]], "
             "bfloat16([[1, 0], [0, 1]]), complex64([[1]]))"},
            "(float32[?, ?], int8[3, 3], bool[1, 1], bfloat16[2, 2], complex64[1, 1])");
  lab.check("n -> eye(n)", {"3037000500", "1"}, {"error", "[[1.0]]"});
  lab.refuse("n -> eye(-1)", "1", "0 and more, found -1");
  lab.refuse("n -> eye([1])", "1", "scalar");
  lab.refuse("n -> eye(1, string)", "1", "a dtype of numbers or bool");
}

}  // namespace weir::test
