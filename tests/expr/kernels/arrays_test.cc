// Functions that rearrange the entries of tensors.
#include "expr/harness.h"

namespace weir::test {

TEST_CASE("transpose") {
  Lab lab;
  lab.check("m -> (transpose(m), transpose(m, perm: [1, 0]), transpose(m, [0, -1]))",
            {"[[1, 2, 3], [4, 5, 6]]", "[[7, 8, 9], [10, 11, 12]]"},
            {"([[1, 4], [2, 5], [3, 6]], [[1, 4], [2, 5], [3, 6]], [[1, 2, 3], [4, 5, 6]])",
             "([[7, 10], [8, 11], [9, 12]], [[7, 10], [8, 11], [9, 12]], [[7, 8, 9], [10, 11, 12]])"},
            "(int64[3, 2], int64[3, 2], int64[2, 3])");
  lab.check("q -> (transpose(q), transpose(q, [0, 2, 1]), transpose(q, [2, 0, 1]), transpose(q, [1, 2, 0]))",
            {"uint8(reshape(arange(12), [2, 3, 2]))"},
            {"(uint8([[[0, 6], [2, 8], [4, 10]], [[1, 7], [3, 9], [5, 11]]]),"
             " uint8([[[0, 2, 4], [1, 3, 5]], [[6, 8, 10], [7, 9, 11]]]),"
             " uint8([[[0, 2, 4], [6, 8, 10]], [[1, 3, 5], [7, 9, 11]]]),"
             " uint8([[[0, 6], [1, 7]], [[2, 8], [3, 9]], [[4, 10], [5, 11]]]))"});
  lab.check("(s, b, c) -> (transpose(s), transpose(b), transpose(c, []))",
            {"([[\"a\", \"b\"], [\"c\", \"d\"]], [[true, false]], 1.5)"},
            {"([[\"a\", \"c\"], [\"b\", \"d\"]], [[true], [false]], 1.5)"},
            "(string[2, 2], bool[2, 1], float32)");
  // Rows of different shapes, one of them empty, and an argument that all rows share.
  lab.check(
      "n -> (transpose(zeros([n, 2, 3])), transpose(reshape(arange(n * 2), [n, 2])), transpose([[1, 2]]))",
      {"0", "1", "2"},
      {"(zeros([3, 2, 0]), zeros([2, 0], int64), [[1], [2]])", "(zeros([3, 2, 1]), [[0], [1]], [[1], [2]])",
       "(zeros([3, 2, 2]), [[0, 2], [1, 3]], [[1], [2]])"},
      "(float32[3, 2, ?], int64[2, ?], int64[2, 1])");
  // Wider than a tile in both directions, or in one, for each width of entries.
  for (const std::string d : {"uint8", "int16", "int32", "int64", "complex128"}) {
    lab.check("x -> all(transpose(" + d + "(reshape(x, [35, 70]))) == " + d +
                  "(expand_dims(arange(70), 1) + arange(35) * 70 + x[0]))",
              {"arange(2450)", "arange(2450) + 3"}, {"true", "true"});
    lab.check("x -> all(transpose(" + d + "(reshape(x, [70, 3]))) == " + d +
                  "(expand_dims(arange(3), 1) + arange(70) * 3))",
              {"arange(210)"}, {"true"});
    lab.check("x -> all(transpose(" + d + "(reshape(x, [3, 70]))) == " + d +
                  "(expand_dims(arange(70), 1) + arange(3) * 70))",
              {"arange(210)"}, {"true"});
    // Several tiled planes: [2, 3, 40] to [2, 40, 3].
    lab.check("x -> all(transpose(" + d + "(reshape(x, [2, 3, 40])), [0, 2, 1]) == " + d +
                  "(expand_dims(arange(40), 1) + arange(3) * 40 + reshape([0, 120], [2, 1, 1])))",
              {"arange(240)"}, {"true"});
  }
  lab.refuse("m -> transpose(m, [0])", "[[1]]", "expected each of the 2 axes once in perm, found 1 of them");
  lab.refuse("m -> transpose(m, [0, 0])", "[[1]]", "the axis 0 is given twice");
  lab.refuse("m -> transpose(m, [0, 2])", "[[1]]", "the axis 2 is out of range");
}

TEST_CASE("transpose, reverse, roll, tile and pad of an unknown rank") {
  Lab lab;
  // squeeze() of an unknown shape has an unknown rank.
  lab.check("n -> transpose(squeeze(zeros([n, 2, 3])))", {"1", "2"}, {"zeros([3, 2])", "zeros([3, 2, 2])"},
            "float32[...]");
  lab.check("n -> transpose(squeeze(zeros([n, 2, 3])), [1, 0])", {"1", "2"}, {"zeros([3, 2])", "error"},
            "float32[?, ?]");
  lab.check("n -> reverse(squeeze(reshape(arange(2 * n), [n, 2])), 1)", {"1", "2"},
            {"error", "[[1, 0], [3, 2]]"}, "int64[...]");
  lab.check("n -> roll(squeeze(reshape(arange(2 * n), [n, 2])), [1], [-2])", {"1", "2"},
            {"error", "[[2, 3], [0, 1]]"}, "int64[...]");
  lab.check("n -> tile(squeeze(reshape(arange(2 * n), [n, 2])), [2])", {"1", "2"}, {"[0, 1, 0, 1]", "error"},
            "int64[...]");
  lab.check("n -> pad(squeeze(reshape(arange(2 * n), [n, 2])), [[1, 0]])", {"1", "2"}, {"[0, 0, 1]", "error"},
            "int64[...]");
  lab.check("n -> broadcast_to(squeeze(reshape(arange(2 * n), [n, 2])), [3, 2])", {"1", "2", "3"},
            {"[[0, 1], [0, 1], [0, 1]]", "error", "[[0, 1], [2, 3], [4, 5]]"}, "int64[3, 2]");
  lab.check("n -> split(squeeze(reshape(arange(2 * n), [n, 2])), 2, axis: 0)", {"1", "2", "3"},
            {"([0], [1])", "([[0, 1]], [[2, 3]])", "error"}, "(int64[...], int64[...])");
  lab.check("n -> ensure_shape(squeeze(reshape(arange(2 * n), [n, 2])), [none, 2])", {"1", "2"},
            {"error", "[[0, 1], [2, 3]]"}, "int64[?, 2]");
  lab.refuse("n -> transpose(squeeze(zeros([n, 2])), [0, 0])", "1", "the axis 0 is given twice");
  lab.refuse("n -> unstack(squeeze(zeros([n, 2])))", "1", "known rank");
}

TEST_CASE("reverse") {
  Lab lab;
  lab.check(
      "m -> (reverse(m, 0), reverse(m, [1]), reverse(m, [0, 1]), reverse(m, -1), reverse(m, []))",
      {"[[1, 2, 3], [4, 5, 6]]", "[[7, 8, 9], [0, 0, 1]]"},
      {"([[4, 5, 6], [1, 2, 3]], [[3, 2, 1], [6, 5, 4]], [[6, 5, 4], [3, 2, 1]], [[3, 2, 1], [6, 5, 4]], "
       "[[1, 2, 3], [4, 5, 6]])",
       "([[0, 0, 1], [7, 8, 9]], [[9, 8, 7], [1, 0, 0]], [[1, 0, 0], [9, 8, 7]], [[9, 8, 7], [1, 0, 0]], "
       "[[7, 8, 9], [0, 0, 1]])"});
  lab.check("q -> (reverse(q, 1), reverse(q, [0, 2]))", {"reshape(arange(12), [2, 3, 2])"},
            {"([[[4, 5], [2, 3], [0, 1]], [[10, 11], [8, 9], [6, 7]]],"
             " [[[7, 6], [9, 8], [11, 10]], [[1, 0], [3, 2], [5, 4]]])"});
  lab.check(
      "n -> (reverse(arange(n), 0), reverse([\"a\", \"b\"], 0), reverse([true, false, false], -1))",
      {"0", "1", "3"},
      {"(int64(zeros([0])), [\"b\", \"a\"], [false, false, true])",
       "([0], [\"b\", \"a\"], [false, false, true])", "([2, 1, 0], [\"b\", \"a\"], [false, false, true])"},
      "(int64[?], string[2], bool[3])");
  // A part of each row: rows lie apart.
  lab.check("m -> (reverse(m[0], 0), reverse(m[1, 1:], 0))",
            {"[[1, 2, 3], [4, 5, 6]]", "[[7, 8, 9], [0, 2, 1]]"},
            {"([3, 2, 1], [6, 5])", "([9, 8, 7], [1, 2])"});
  lab.refuse("m -> reverse(m, 1)", "[1]", "the axis 1 is out of range");
  lab.refuse("m -> reverse(m, [0, -1])", "[1]", "given twice");
  lab.refuse("m -> reverse(m, 0.5)", "[1]", "int64");
}

TEST_CASE("roll") {
  Lab lab;
  lab.check("v -> (roll(v, 2, 0), roll(v, -1, 0), roll(v, 7, 0), roll(v, 0, 0), roll(v, [-12], [-1]))",
            {"[1, 2, 3, 4, 5]", "[6, 7, 8, 9, 0]"},
            {"([4, 5, 1, 2, 3], [2, 3, 4, 5, 1], [4, 5, 1, 2, 3], [1, 2, 3, 4, 5], [3, 4, 5, 1, 2])",
             "([9, 0, 6, 7, 8], [7, 8, 9, 0, 6], [9, 0, 6, 7, 8], [6, 7, 8, 9, 0], [8, 9, 0, 6, 7])"});
  lab.check(
      "m -> (roll(m, 1, 1), roll(m, 1, 0), roll(m, [1, -1], [0, 1]), roll(m, [-1, 1], [1, 0]))",
      {"[[1, 2, 3], [4, 5, 6]]"},
      {"([[3, 1, 2], [6, 4, 5]], [[4, 5, 6], [1, 2, 3]], [[5, 6, 4], [2, 3, 1]], [[5, 6, 4], [2, 3, 1]])"},
      "(int64[2, 3], int64[2, 3], int64[2, 3], int64[2, 3])");
  // The middle axis of three, by a shift of the element; -2^63 is one more than a multiple of 3.
  lab.check("n -> roll(reshape(arange(12), [2, 3, 2]), n, 1)", {"1", "-9223372036854775807 - 1", "0"},
            {"[[[4, 5], [0, 1], [2, 3]], [[10, 11], [6, 7], [8, 9]]]",
             "[[[4, 5], [0, 1], [2, 3]], [[10, 11], [6, 7], [8, 9]]]", "reshape(arange(12), [2, 3, 2])"},
            "int64[2, 3, 2]");
  lab.check("n -> (roll(zeros([n]), 3, 0), roll([\"a\", \"b\", \"c\"], n, 0))", {"0", "2"},
            {"(zeros([0]), [\"a\", \"b\", \"c\"])", "([0.0, 0.0], [\"b\", \"c\", \"a\"])"});
  lab.check("n -> roll([[1, 2], [3, 4]], arange(n), [0, 1])", {"1", "2", "3"},
            {"error", "[[2, 1], [4, 3]]", "error"});
  lab.refuse("m -> roll(m, [1, 2], 0)", "[1]", "expected a shift for each of 1 axes, found 2");
  lab.refuse("m -> roll(m, 1, [0, 0])", "[1]", "given twice");
  lab.refuse("m -> roll(m, 1, 1)", "[1]", "the axis 1 is out of range");
  lab.refuse("m -> roll(m, [[1]], 0)", "[1]", "a list of shifts");
}

TEST_CASE("tile") {
  Lab lab;
  lab.check("m -> (tile(m, [2, 1]), tile(m[0], [3]), tile(m, [1, 2]), tile(m, [2, 2]), tile(m, [0, 1]))",
            {"[[1, 2], [3, 4]]", "[[5, 6], [7, 8]]"},
            {"([[1, 2], [3, 4], [1, 2], [3, 4]], [1, 2, 1, 2, 1, 2], [[1, 2, 1, 2], [3, 4, 3, 4]], "
             "[[1, 2, 1, 2], [3, 4, 3, 4], [1, 2, 1, 2], [3, 4, 3, 4]], zeros([0, 2], int64))",
             "([[5, 6], [7, 8], [5, 6], [7, 8]], [5, 6, 5, 6, 5, 6], [[5, 6, 5, 6], [7, 8, 7, 8]], "
             "[[5, 6, 5, 6], [7, 8, 7, 8], [5, 6, 5, 6], [7, 8, 7, 8]], zeros([0, 2], int64))"},
            "(int64[4, 2], int64[6], int64[2, 4], int64[4, 4], int64[0, 2])");
  lab.check("n -> (tile([7], [n]), tile([[\"a\"], [\"b\"]], [1, n]))", {"-1", "0", "1", "2"},
            {"error", "(int64(zeros([0])), reshape([\"a\"][:0], [2, 0]))", "([7], [[\"a\"], [\"b\"]])",
             "([7, 7], [[\"a\", \"a\"], [\"b\", \"b\"]])"},
            "(int64[?], string[2, ?])");
  lab.check("(x, n) -> (tile(x, []), tile(arange(n), [2]))", {"(1.5, 0)", "(2.5, 2)"},
            {"(1.5, int64(zeros([0])))", "(2.5, [0, 1, 0, 1])"}, "(float32, int64[?])");
  lab.check("n -> tile([1, 2], [n])", {"4611686018427387904", "9223372036854775807", "1"},
            {"error", "error", "[1, 2]"});
  lab.check(
      "n -> tile(reshape(arange(8), [1, 1, 1, 1, 1, 2, 2, 2]), [1, 1, 1, 1, 1, 1, n, n])[0, 0, 0, 0, 0, 1]",
      {"1", "2"}, {"[[4, 5], [6, 7]]", "[[4, 5, 4, 5], [6, 7, 6, 7], [4, 5, 4, 5], [6, 7, 6, 7]]"});
  lab.refuse("m -> tile(m, [1])", "[[1]]", "for each of the 2 axes of x, found 1");
  lab.refuse("m -> tile(m, [-1])", "[1]", "expected 0 times or more, found -1");
  lab.refuse("m -> tile(m, [[1]])", "[1]", "a list of integers");
}

TEST_CASE("pad") {
  Lab lab;
  lab.check("m -> (pad(m, [[1, 0], [0, 2]]), pad(m[0], [[2, 1]]), pad(m, [[0, 1], [1, 0]], value: 9))",
            {"[[1, 2, 3], [4, 5, 6]]", "[[7, 8, 9], [10, 11, 12]]"},
            {"([[0, 0, 0, 0, 0], [1, 2, 3, 0, 0], [4, 5, 6, 0, 0]], [0, 0, 1, 2, 3, 0], "
             "[[9, 1, 2, 3], [9, 4, 5, 6], [9, 9, 9, 9]])",
             "([[0, 0, 0, 0, 0], [7, 8, 9, 0, 0], [10, 11, 12, 0, 0]], [0, 0, 7, 8, 9, 0], "
             "[[9, 7, 8, 9], [9, 10, 11, 12], [9, 9, 9, 9]])"},
            "(int64[3, 5], int64[6], int64[3, 4])");
  lab.check("v -> (pad(v, [[2, 1]], mode: \"reflect\"), pad(v, [[3, 3]], mode: \"reflect\"))",
            {"[1, 2, 3, 4]"}, {"([3, 2, 1, 2, 3, 4, 3], [4, 3, 2, 1, 2, 3, 4, 3, 2, 1])"});
  lab.check("v -> (pad(v, [[2, 1]], mode: \"symmetric\"), pad(v, [[3, 3]], \"symmetric\"))", {"[1, 2, 3]"},
            {"([2, 1, 1, 2, 3, 3], [3, 2, 1, 1, 2, 3, 3, 2, 1])"});
  lab.check("m -> (pad(m, [[1, 1], [1, 0]], \"reflect\"), pad(m, [[0, 1], [2, 0]], \"symmetric\"))",
            {"[[1, 2], [3, 4]]"},
            {"([[4, 3, 4], [2, 1, 2], [4, 3, 4], [2, 1, 2]], [[2, 1, 1, 2], [4, 3, 3, 4], [4, 3, 3, 4]])"});
  // The padded axis lies outside others, which move together.
  lab.check(
      "q -> (pad(q, [[0, 0], [1, 0], [0, 0]], value: 0.5), pad(q, [[1, 0], [0, 0], [0, 0]], \"symmetric\"))",
      {"float32(reshape(arange(4), [2, 1, 2]))"},
      {"([[[0.5, 0.5], [0.0, 1.0]], [[0.5, 0.5], [2.0, 3.0]]], "
       "[[[0.0, 1.0]], [[0.0, 1.0]], [[2.0, 3.0]]])"});
  lab.check(
      "(s, b, h) -> (pad(s, [[1, 1]]), pad(s, [[0, 1]], value: \"-\"), pad(b, [[1, 0]]), pad(h, [[0, 1]]))",
      {"([\"a\", \"b\"], [true], float16([1.5]))"},
      {"([\"\", \"a\", \"b\", \"\"], [\"a\", \"b\", \"-\"], [false, true], float16([1.5, 0.0]))"});
  lab.check("n -> (pad([1, 2], [[n, 1]]), pad(arange(n), [[0, 3 - n]], value: n))", {"-1", "0", "2", "4"},
            {"error", "([1, 2, 0], [0, 0, 0])", "([0, 0, 1, 2, 0], [0, 1, 2])", "error"},
            "(int64[?], int64[?])");
  lab.check("n -> (pad([1, 2, 3], [[n, 0]], \"reflect\"), pad(arange(4 - n), [[1, 1]], \"reflect\"))",
            {"0", "2", "3"}, {"([1, 2, 3], [1, 0, 1, 2, 3, 2])", "([3, 2, 1, 2, 3], [1, 0, 1, 0])", "error"});
  lab.check("n -> pad([1, 2], [[0, n]], \"symmetric\")", {"2", "3"}, {"[1, 2, 2, 1]", "error"}, "int64[?]");
  lab.check("n -> (pad(n, zeros([0, 2], int64)), pad(zeros([0, n]), [[1, 0], [0, 1]], value: 2.0))",
            {"1", "2"}, {"(1, [[2.0, 2.0]])", "(2, [[2.0, 2.0, 2.0]])"});
  lab.check("n -> pad([1], [[n, n]])", {"9223372036854775807", "1"}, {"error", "[0, 1, 0]"});
  lab.refuse("m -> pad(m, [[1, 1]])", "[[1]]", "expected paddings of shape [2, 2]");
  lab.refuse("m -> pad(m, [[1, 1]], mode: \"wrap\")", "[1]", "found \"wrap\"");
  lab.refuse("m -> pad(m, [[1, -1]])", "[1]", "paddings of 0 and more, found -1");
  lab.refuse("m -> pad(m, [[1, 0]], \"reflect\")", "[1]", "at most 0 for a dimension of 1, found 1");
  lab.refuse("m -> pad(m, [[0, 2]], \"symmetric\")", "[1]", "at most 1 for a dimension of 1, found 2");
  lab.refuse("m -> pad(m, [[0, 2]], value: [1])", "[1]", "scalar");
}

TEST_CASE("split and unstack") {
  Lab lab;
  lab.check("m -> (split(m, 2, axis: 1), split(m, 2), split(m, 4, axis: -1).3, split(m, 1))",
            {"reshape(arange(8), [2, 4])", "reshape(arange(8), [2, 4]) + 10"},
            {"(([[0, 1], [4, 5]], [[2, 3], [6, 7]]), ([[0, 1, 2, 3]], [[4, 5, 6, 7]]), [[3], [7]], "
             "([[0, 1, 2, 3], [4, 5, 6, 7]],))",
             "(([[10, 11], [14, 15]], [[12, 13], [16, 17]]), ([[10, 11, 12, 13]], [[14, 15, 16, 17]]), "
             "[[13], [17]], ([[10, 11, 12, 13], [14, 15, 16, 17]],))"},
            "((int64[2, 2], int64[2, 2]), (int64[1, 4], int64[1, 4]), int64[2, 1], (int64[2, 4],))");
  lab.check("n -> split(arange(n), 3)", {"0", "2", "3", "6"},
            {"(int64(zeros([0])), int64(zeros([0])), int64(zeros([0])))", "error", "([0], [1], [2])",
             "([0, 1], [2, 3], [4, 5])"},
            "(int64[?], int64[?], int64[?])");
  lab.check("(s, b) -> (split(s, 2), unstack(s), unstack(b, axis: 1))",
            {"([\"a\", \"b\"], [[true, false], [false, false]])"},
            {"(([\"a\"], [\"b\"]), (\"a\", \"b\"), ([true, false], [false, false]))"});
  lab.check("m -> let t = unstack(m, axis: 1) in (t.0, t.2, unstack(m, axis: -1).1, unstack(m))",
            {"[[1, 2, 3], [4, 5, 6]]", "[[7, 8, 9], [10, 11, 12]]"},
            {"([1, 4], [3, 6], [2, 5], ([1, 2, 3], [4, 5, 6]))",
             "([7, 10], [9, 12], [8, 11], ([7, 8, 9], [10, 11, 12]))"},
            "(int64[2], int64[2], int64[2], (int64[3], int64[3]))");
  lab.check(
      "n -> (unstack(zeros([2, n])), unstack(zeros([n, 2]), axis: 1), unstack(zeros([0, 2])))", {"0", "1"},
      {"((zeros([0]), zeros([0])), (zeros([0]), zeros([0])), ())", "(([0.0], [0.0]), ([0.0], [0.0]), ())"},
      "((float32[?], float32[?]), (float32[?], float32[?]), ())");
  lab.refuse("n -> unstack(arange(n))", "3", "the number of parts must be known");
  lab.refuse("n -> unstack(n)", "3", "the axis 0 is out of range");
  lab.refuse("n -> unstack(zeros([5000]))", "3", "parts, found 5000");
  lab.refuse("v -> split(v, 2)", "[1, 2, 3]", "cannot split a dimension of 3 into 2");
  lab.refuse("v -> split(v, 0)", "[1, 2, 3]", "parts, found 0");
  lab.refuse("v -> split(v, 5000)", "zeros([5000])", "parts, found 5000");
  lab.refuse("v -> split(v, 3, axis: 1)", "[1, 2, 3]", "the axis 1 is out of range");
}

TEST_CASE("broadcast_to") {
  Lab lab;
  lab.check(
      "(v, x) -> (broadcast_to(v, [2, 3]), broadcast_to(x, [2]), broadcast_to(expand_dims(v, 1), [3, 2]), "
      "broadcast_to(v, [3]), broadcast_to(x, []))",
      {"([1, 2, 3], \"a\")", "([4, 5, 6], \"b\")"},
      {"([[1, 2, 3], [1, 2, 3]], [\"a\", \"a\"], [[1, 1], [2, 2], [3, 3]], [1, 2, 3], \"a\")",
       "([[4, 5, 6], [4, 5, 6]], [\"b\", \"b\"], [[4, 4], [5, 5], [6, 6]], [4, 5, 6], \"b\")"},
      "(int64[2, 3], string[2], int64[3, 2], int64[3], string)");
  lab.check("n -> (broadcast_to([1], [n]), broadcast_to(arange(2), [n, 2]))", {"-1", "0", "2"},
            {"error", "(int64(zeros([0])), zeros([0, 2], int64))", "([1, 1], [[0, 1], [0, 1]])"},
            "(int64[?], int64[?, 2])");
  lab.check("n -> broadcast_to(arange(n), [2])", {"1", "2", "3"}, {"[0, 0]", "[0, 1]", "error"}, "int64[2]");
  lab.check("(n, m) -> broadcast_to(reshape(arange(n), [n, 1]), stack([n, m]))",
            {"(2, 2)", "(1, 3)", "(2, -1)"}, {"[[0, 0], [1, 1]]", "[[0, 0, 0]]", "error"}, "int64[?, ?]");
  lab.refuse("v -> broadcast_to(v, [2, 2])", "[1, 2, 3]",
             "a shape that x broadcasts to, found [2, 2] for x of shape [3]");
  lab.refuse("v -> broadcast_to(v, [3])", "[[1, 2, 3]]", "a shape that x broadcasts to");
  lab.refuse("v -> broadcast_to(v, [])", "[1]", "found [] for x of shape [1]");
  lab.refuse("v -> broadcast_to(v, [1])", "[1, 2]", "a shape that x broadcasts to");
}

TEST_CASE("ensure_shape") {
  Lab lab;
  lab.check("n -> ensure_shape(zeros([n]), [2])", {"1", "2", "3"}, {"error", "[0.0, 0.0]", "error"},
            "float32[2]");
  lab.check("n -> (ensure_shape(zeros([n, 2, n]), [none, 2, 1]), ensure_shape(n, []))", {"1", "2"},
            {"([[[0.0], [0.0]]], 1)", "error"}, "(float32[?, 2, 1], int64)");
  lab.check("(s, m) -> (ensure_shape(s, [none]), ensure_shape(m, [2, none]))",
            {"([\"a\"], [[1, 2], [3, 4]])"}, {"([\"a\"], [[1, 2], [3, 4]])"}, "(string[1], int64[2, 2])");
  lab.check("n -> let d = [2] in (ensure_shape(arange(n), d), unstack(ensure_shape(arange(n), [d[0]])).1)",
            {"2", "1"}, {"([0, 1], 1)", "error"}, "(int64[2], int64)");
  lab.refuse("m -> ensure_shape(m, [3, 3])", "[[1, 2, 3], [4, 5, 6]]",
             "expected the shape [3, 3], found [2, 3]");
  lab.refuse("m -> ensure_shape(m, [none])", "[[1]]", "expected the shape [?], found [1, 1]");
  lab.refuse("m -> ensure_shape(m, [])", "[1]", "expected the shape [], found [1]");
  lab.refuse("m -> ensure_shape(m, [-1])", "[1]", "none for an unknown dimension");
  lab.refuse("m -> ensure_shape(m, [[1]])", "[1]", "a list of integers and none");
  lab.refuse("m -> ensure_shape(m, [m[0]])", "[1]", "known when the dataset is built");
}

TEST_CASE("Shapes whose dimensions overflow beside one of 0") {
  Lab lab;
  const std::string x = "zeros([4611686018427387904, 0, n, 4])";
  const std::string y = "zeros([0, 4611686018427387904, n, 4])";
  lab.check("n -> (shape(transpose(" + x + "))[0], shape(reverse(" + x + ", [0, 2]))[0], shape(roll(" + y +
                ", [1, 2], [1, 3]))[2], shape(tile(" + x + ", [1, 5, 1, 1]))[1])",
            {"4"}, {"(4, 4611686018427387904, 4, 0)"});
  lab.check("n -> (shape(pad(" + x + ", [[1, 1], [0, 0], [0, 0], [0, 0]]))[0], shape(split(" + x +
                ", 2, axis: 3).1)[0], shape(unstack(" + x + ", axis: 3).3)[0], shape(split(" + y +
                ", 2, 1).1)[1])",
            {"4"}, {"(4611686018427387906, 4611686018427387904, 4611686018427387904, 2305843009213693952)"});
  lab.check("n -> (shape(gather(" + x + ", [1, 2]))[0], shape(sort(" + y + "))[2], shape(top_k(" + y +
                ", 1).0)[3], shape(boolean_mask(" + y + ", zeros([0]) > 0.0))[1])",
            {"4"}, {"(2, 4, 1, 4611686018427387904)"});
  lab.check("n -> shape(top_k(zeros([n - n, 4611686018427387904]), n - 3).1)", {"4"}, {"[0, 1]"});
  lab.check("n -> (shape(matmul(" + x + ", transpose(" + x + ", [0, 1, 3, 2])))[3], shape(argsort(" + x +
                ", axis: 0))[0])",
            {"4"}, {"(4, 4611686018427387904)"});
}

}  // namespace weir::test
