#include "expr/harness.h"

namespace weir::test {

TEST_CASE("shape, size and rank") {
  Lab lab;
  lab.check("(a, b, c) -> (shape(a), size(a), rank(a), shape(b), size(b), rank(c), shape(c), size(c))",
            {"(5, [[\"a\"], [\"b\"]], zeros([2, 0, 3]))"},
            {"(int64(zeros([0])), 1, 0, [2, 1], 2, 3, [2, 0, 3], 0)"});
  lab.check("v -> (shape(v), size(v), rank(v), shape(v)[1])", {"[[1, 2]]", "[[1, 2], [3, 4]]"},
            {"([1, 2], 2, 2, 2)", "([2, 2], 4, 2, 2)"}, "(int64[2], int64, int64, int64)");
  lab.check("m -> zeros([shape(m)[1], shape(m)[0]])", {"[[1, 2]]", "[[1, 2], [3, 4]]"},
            {"zeros([2, 1])", "zeros([2, 2])"}, "float32[2, ?]");
}

TEST_CASE("reshape") {
  Lab lab;
  lab.check("m -> (reshape(m, [3, 2]), reshape(m, [-1]), reshape(m, [3, -1, 1]))", {"[[1, 2, 3], [4, 5, 6]]"},
            {"([[1, 2], [3, 4], [5, 6]], [1, 2, 3, 4, 5, 6], [[[1], [2]], [[3], [4]], [[5], [6]]])"},
            "(int64[3, 2], int64[6], int64[3, 2, 1])");
  lab.check("(a, b) -> (reshape(a, []), reshape(b, [1, 1]))", {"([[7]], 5)"}, {"(7, [[5]])"},
            "(int64, int64[1, 1])");
  lab.check("n -> reshape(arange(n * 2), [2, 2])", {"0", "1", "2", "3"},
            {"error", "error", "[[0, 1], [2, 3]]", "error"}, "int64[2, 2]");
  lab.check(
      "(n, v) -> reshape(v, [n, 6 // n])",
      {"(1, [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"])", "(2, [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"])",
       "(4, [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"])", "(-1, [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"])"},
      {"[[\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]]", "[[\"a\", \"b\", \"c\"], [\"d\", \"e\", \"f\"]]",
       "error", "error"},
      "string[?, ?]");
  lab.check("(a, b) -> reshape(a, shape(b))", {"([1, 2, 3, 4], [[0, 0], [0, 0]])"}, {"[[1, 2], [3, 4]]"},
            "int64[2, 2]");
  lab.check("v -> let n = size(v) in reshape(v, [n // 2, 2])", {"[1, 2]", "[1, 2, 3, 4]"},
            {"[[1, 2]]", "[[1, 2], [3, 4]]"}, "int64[?, 2]");
  lab.check("n -> reshape([1, 2], [n])", {"2", "-9223372036854775807 - 1"}, {"[1, 2]", "error"}, "int64[?]");
  // A dimension of 0 determines the number of entries, whatever the others are.
  lab.check("n -> (reshape(zeros([0, n]), [-1]), reshape(zeros([n, 0]), [3, -1, 2]))", {"0", "4"},
            {"(zeros([0]), zeros([3, 0, 2]))", "(zeros([0]), zeros([3, 0, 2]))"},
            "(float32[0], float32[3, 0, 2])");
  lab.check("n -> (reshape(zeros([n, 0]), [n, -1]), reshape(zeros([0, n]), [n]))", {"0", "4"},
            {"error", "error"}, "(float32[?, ?], float32[?])");
  lab.check("n -> zeros([2 + size(zeros([n, 0])), 1])", {"5"}, {"zeros([2, 1])"}, "float32[2, 1]");
  lab.check("n -> reshape(arange(n), [0, 3])", {"0", "1"}, {"zeros([0, 3], int64)", "error"}, "int64[0, 3]");
  lab.check("n -> reshape(arange(6), [n, 3, 1])", {"2", "3"}, {"[[[0], [1], [2]], [[3], [4], [5]]]", "error"},
            "int64[?, 3, 1]");
  lab.refuse("n -> reshape(zeros([0, n]), [3])", "1", "cannot reshape 0 entries to [3]");
  lab.refuse("n -> reshape(arange(n), [0, -1])", "1", "a dimension of -1 cannot be computed");
  lab.refuse("n -> reshape(arange(6), [n, 4])", "1", "cannot reshape 6 entries to [?, 4]");
  lab.refuse("n -> reshape(arange(6), [-1, n, 4])", "1", "cannot reshape 6 entries to [-1, ?, 4]");
  lab.refuse("n -> reshape(arange(6), [n, 0])", "1", "cannot reshape 6 entries to [?, 0]");
  lab.refuse("m -> reshape(m, [4, 2])", "[[1, 2, 3], [4, 5, 6]]", "cannot reshape 6 entries to [4, 2]");
  lab.refuse("m -> reshape(m, [-1, -1])", "[1, 2]", "one dimension of -1");
  lab.refuse("m -> reshape(m, [-2])", "[1, 2]", "found -2");
  lab.refuse("m -> reshape(m, [-9223372036854775808])", "[1, 2]", "found -9223372036854775808");
  lab.refuse("m -> zeros([-9223372036854775808])", "[1, 2]", "found -9223372036854775808");
  lab.refuse("m -> reshape(m, [[1]])", "[1]", "list of integers");
}

TEST_CASE("expand_dims and squeeze") {
  Lab lab;
  lab.check("m -> (expand_dims(m, 0), expand_dims(m, 1), expand_dims(m, -1))", {"[[1, 2], [3, 4]]"},
            {"([[[1, 2], [3, 4]]], [[[1, 2]], [[3, 4]]], [[[1], [2]], [[3], [4]]])"},
            "(int64[1, 2, 2], int64[2, 1, 2], int64[2, 2, 1])");
  lab.check("x -> (squeeze(x), squeeze(x, axis: 0), squeeze(x, axis: -1), squeeze(x, [0, 2]))",
            {"[[[1], [2]]]"}, {"([1, 2], [[1], [2]], [[1, 2]], [1, 2])"},
            "(int64[2], int64[2, 1], int64[1, 2], int64[2])");
  lab.check("n -> squeeze(expand_dims(arange(n), 1), 0)", {"1", "2"}, {"[0]", "error"}, "int64[1]");
  lab.check("n -> squeeze(arange(n))", {"1", "2"}, {"0", "[0, 1]"}, "int64[...]");
  lab.refuse("m -> expand_dims(m, 4)", "[[1]]", "the axis 4");
  lab.refuse("m -> squeeze(m, axis: 0)", "[[1], [2]]", "expected an extent of 1");
}

TEST_CASE("concat and stack") {
  Lab lab;
  lab.check("(a, b) -> (concat([a, b]), concat([b, b], axis: 1), concat([a, a, a], axis: -1))",
            {"([[1, 2]], [[3, 4], [5, 6]])"},
            {"([[1, 2], [3, 4], [5, 6]], [[3, 4, 3, 4], [5, 6, 5, 6]], [[1, 2, 1, 2, 1, 2]])"},
            "(int64[3, 2], int64[2, 4], int64[1, 6])");
  lab.check("(a, z) -> (concat([[\"x\"], a]), concat([z, [1.5], z], 0))", {"([\"b\", \"c\"], zeros([0]))"},
            {"([\"x\", \"b\", \"c\"], [1.5])"}, "(string[3], float32[1])");
  lab.check("n -> concat([arange(n), [100], arange(n)], axis: 0)", {"0", "1", "2"},
            {"[100]", "[0, 100, 0]", "[0, 1, 100, 0, 1]"}, "int64[?]");
  lab.check("n -> concat([zeros([2, n]), zeros([n, 1])], axis: 1)", {"2", "3"}, {"zeros([2, 3])", "error"});
  lab.check("(a, b) -> (stack([a, b]), stack([a]), stack((a, b), axis: 0))", {"(1, 3)", "(2, 4)"},
            {"([1, 3], [1], [1, 3])", "([2, 4], [2], [2, 4])"}, "(int64[2], int64[1], int64[2])");
  lab.check("v -> stack([v, uint8([9, 9])], axis: 1)", {"uint8([1, 2])"}, {"uint8([[1, 9], [2, 9]])"},
            "uint8[2, 2]");
  lab.check("n -> stack([arange(n), [7, 8]])", {"2", "1"}, {"[[0, 1], [7, 8]]", "error"}, "int64[2, 2]");
  lab.refuse("(a, b) -> concat([a, b])", "(1, 2)", "use stack");
  lab.refuse("(a, b) -> stack([a, b])", "([1, 2], [3])", "shapes agree");
  lab.refuse("(a, b) -> concat([a, b])", "([1, 2], [\"a\"])", "one dtype");
}

}  // namespace weir::test
