// Functions that choose and order entries, and matmul.
#include "expr/harness.h"

namespace weir::test {

TEST_CASE("gather") {
  Lab lab;
  lab.check("v -> (gather(v, [3, 0, 0]), gather(v, 1), gather(v, [[0, 1], [2, 3]]), gather(v, []))",
            {"[10, 20, 30, 40]", "[1, 2, 3, 4]"},
            {"([40, 10, 10], 20, [[10, 20], [30, 40]], int64(zeros([0])))",
             "([4, 1, 1], 2, [[1, 2], [3, 4]], int64(zeros([0])))"},
            "(int64[3], int64, int64[2, 2], int64[0])");
  lab.check("(m, i) -> (gather(m, i), gather(m, i, axis: 1), gather(m, [[1], [0]], axis: -1))",
            {"(uint8([[1, 2, 3], [4, 5, 6]]), 0)", "(uint8([[7, 8, 9], [0, 1, 2]]), 1)",
             "(uint8([[7, 8, 9], [0, 1, 2]]), 2)", "(uint8([[7, 8, 9], [0, 1, 2]]), -1)"},
            {"(uint8([1, 2, 3]), uint8([1, 4]), uint8([[[2], [1]], [[5], [4]]]))",
             "(uint8([0, 1, 2]), uint8([8, 1]), uint8([[[8], [7]], [[1], [0]]]))", "error", "error"},
            "(uint8[3], uint8[2], uint8[2, 2, 1])");
  lab.check("i -> gather([1, 2, 3], [0, i])", {"0", "1", "2", "3", "-1", "-9223372036854775807 - 1"},
            {"[1, 1]", "[1, 2]", "[1, 3]", "error", "error", "error"}, "int64[2]");
  lab.check("n -> (gather(arange(n), [1]), gather([[\"a\"], [\"b\"]], [0, 1, 0]))", {"1", "2"},
            {"error", "([1], [[\"a\"], [\"b\"], [\"a\"]])"}, "(int64[1], string[3, 1])");
  lab.check("i -> (gather([true, false], uint8(i)), gather([1.5, 2.5], uint64(i)), gather([0, 1], int16(i)))",
            {"0", "1", "-1"}, {"(true, 1.5, 0)", "(false, 2.5, 1)", "error"}, "(bool, float32, int64)");
  // Positions that differ in number, parts of odd sizes, and nothing to move.
  lab.check(
      "n -> (gather(uint8(reshape(arange(9), [3, 3])), arange(n)), gather(zeros([2, 0]), arange(n)), "
      "gather(zeros([2, 3]), arange(n)[:0], axis: 1))",
      {"0", "2", "3"},
      {"(zeros([0, 3], uint8), zeros([0, 0]), zeros([2, 0]))",
       "(uint8([[0, 1, 2], [3, 4, 5]]), zeros([2, 0]), zeros([2, 0]))", "error"});
  lab.check("n -> gather(squeeze(reshape(arange(2 * n), [n, 2])), [1], axis: 1)", {"1", "2"},
            {"error", "[[1], [3]]"}, "int64[...]");
  lab.refuse("v -> gather(v, [0.5])", "[1, 2]", "expected integers as positions, found float32");
  lab.refuse("v -> gather(v, [0], axis: 1)", "[1, 2]", "the axis 1 is out of range");
  lab.refuse("v -> gather(v, [0, 2])", "[1, 2]", "position 2 is out of range for a dimension of 2");
  lab.refuse("v -> gather(v, -1)", "[1, 2]",
             "position -1 is out of range for a dimension of 2; positions count from 0");
  lab.refuse("v -> gather(v, 0)", "1", "out of range for a tensor of rank 0");
  lab.refuse("v -> gather(v, zeros([1, 1, 1, 1, 1, 1, 1, 1], int64))", "[[1]]", "at most 8 dimensions");
}

TEST_CASE("boolean_mask") {
  Lab lab;
  lab.check(
      "v -> (boolean_mask(v, [true, false, false, true]), boolean_mask(v, v > 2), boolean_mask(v, v < 0))",
      {"[1, 2, 3, 4]", "[5, 2, 6, 0]"},
      {"([1, 4], [3, 4], int64(zeros([0])))", "([5, 0], [5, 6], int64(zeros([0])))"},
      "(int64[2], int64[?], int64[?])");
  lab.check(
      "m -> (boolean_mask(m, [true, false, true]), boolean_mask(m, m > 2), boolean_mask(m, m[:, 0] > 4))",
      {"[[1, 2], [3, 4], [5, 6]]", "[[7, 0], [1, 9], [2, 3]]"},
      {"([[1, 2], [5, 6]], [3, 4, 5, 6], [[5, 6]])", "([[7, 0], [2, 3]], [7, 9, 3], [[7, 0]])"},
      "(int64[2, 2], int64[?], int64[?, 2])");
  lab.check(
      "(s, b, q) -> (boolean_mask(s, b), boolean_mask(b, b), boolean_mask(q, b), boolean_mask(bfloat16(q), b))",
      {"([\"a\", \"b\"], [false, true], uint8(reshape(arange(6), [2, 1, 3])))"},
      {"([\"b\"], [true], uint8([[[3, 4, 5]]]), bfloat16([[[3, 4, 5]]]))"});
  lab.check("n -> boolean_mask(arange(n), [true, true])", {"1", "2", "3"}, {"error", "[0, 1]", "error"},
            "int64[2]");
  lab.check("n -> boolean_mask([5, 6], arange(n) == 0)", {"0", "1", "2"}, {"error", "error", "[5]"},
            "int64[?]");
  lab.check("n -> boolean_mask(zeros([3, n]), arange(3) < n)", {"0", "2"}, {"zeros([0, 0])", "zeros([2, 2])"},
            "float32[?, ?]");
  lab.refuse("v -> boolean_mask(v, v)", "[1, 2]", "bool");
  lab.refuse("v -> boolean_mask(v, [true, false, true])", "[1, 2]", "found [3] for x of shape [2]");
  lab.refuse("v -> boolean_mask(v, [[true], [true]])", "[1, 2]", "a mask of the shape of x");
  lab.refuse("v -> boolean_mask(v, true)", "[1, 2]", "found a scalar");
}

TEST_CASE("sort and argsort") {
  Lab lab;
  lab.check(
      "m -> (sort(m), sort(m, axis: 0), sort(m, axis: 1, descending: true), sort(m, 0, true))",
      {"[[3, 1, 2], [0, 5, 4]]", "[[1, 1, 0], [7, -2, 9]]"},
      {"([[1, 2, 3], [0, 4, 5]], [[0, 1, 2], [3, 5, 4]], [[3, 2, 1], [5, 4, 0]], [[3, 5, 4], [0, 1, 2]])",
       "([[0, 1, 1], [-2, 7, 9]], [[1, -2, 0], [7, 1, 9]], [[1, 1, 0], [9, 7, -2]], [[7, 1, 9], [1, -2, 0]])"});
  lab.check("v -> (argsort(v), argsort(v, descending: true), argsort(argsort(v)))",
            {"[2, 1, 2, 1, 2]", "[30, 10, 20, 10, 40]"},
            {"([1, 3, 0, 2, 4], [0, 2, 4, 1, 3], [2, 0, 3, 1, 4])",
             "([1, 3, 2, 0, 4], [4, 0, 2, 1, 3], [3, 0, 2, 1, 4])"},
            "(int64[5], int64[5], int64[5])");
  // The middle axis of three, and rows that lie apart.
  lab.check("q -> (argsort(q, axis: 1), sort(q[1], axis: 0), sort(q[:, 1, 0]))",
            {"[[[3, 0], [1, 5], [2, 4]], [[1, 2], [1, 1], [0, 3]]]"},
            {"([[[1, 0], [2, 2], [0, 1]], [[2, 1], [0, 0], [1, 2]]], [[0, 1], [1, 2], [1, 3]], [1, 1])"});
  lab.check("v -> (sort(v), sort(v, descending: true), argsort(v), argsort(v, descending: true))",
            {"[1.5, nan, -inf, 0.0, inf, -2.5, nan]", "[-0.0, 0.0, -0.0, -1e-45, 1e-45, 3.0, -3.0]"},
            {"([-inf, -2.5, 0.0, 1.5, inf, nan, nan], [inf, 1.5, 0.0, -2.5, -inf, nan, nan], "
             "[2, 5, 3, 0, 4, 1, 6], [4, 0, 3, 5, 2, 1, 6])",
             "([-3.0, -1e-45, -0.0, 0.0, -0.0, 1e-45, 3.0], [3.0, 1e-45, -0.0, 0.0, -0.0, -1e-45, -3.0], "
             "[6, 3, 0, 1, 2, 4, 5], [5, 4, 0, 1, 2, 3, 6])"});
  lab.check(
      "n -> (sort(float16([1, nan, -2, 0])), sort(int8([-128, 127, 0, -1]), descending: true), "
      "sort(uint64([18446744073709551615, 0, 9223372036854775808])), sort(float64([2, -1, n])))",
      {"0", "1"},
      {"(float16([-2, 0, 1, nan]), int8([127, 0, -1, -128]), "
       "uint64([0, 9223372036854775808, 18446744073709551615]), float64([-1, 0, 2]))",
       "(float16([-2, 0, 1, nan]), int8([127, 0, -1, -128]), "
       "uint64([0, 9223372036854775808, 18446744073709551615]), float64([-1, 1, 2]))"});
  lab.check("n -> (sort(arange(n)), argsort(zeros([n, 2]), axis: 0), sort(zeros([2, 0])))", {"0", "1", "2"},
            {"(int64(zeros([0])), zeros([0, 2], int64), zeros([2, 0]))", "([0], [[0, 0]], zeros([2, 0]))",
             "([0, 1], [[0, 0], [1, 1]], zeros([2, 0]))"});
  lab.check("n -> sort(squeeze(reshape(arange(2 * n), [n, 2])), axis: 1, descending: true)", {"1", "2"},
            {"error", "[[1, 0], [3, 2]]"}, "int64[...]");
  lab.refuse("s -> sort(s)", "[\"a\"]", "an integer or float dtype");
  lab.refuse("s -> sort(s, axis: 1)", "[1]", "the axis 1 is out of range");
  lab.refuse("s -> argsort(s)", "1", "out of range for a tensor of rank 0");
}

TEST_CASE("Long axes are sorted by their bytes, in the same order") {
  Lab lab;
  for (const std::string d : {"uint8", "int8", "uint16", "int16", "float16", "bfloat16", "uint32", "int32",
                              "float32", "uint64", "int64", "float64"}) {
    const bool is_signed = d[0] != 'u';
    for (const int64_t count : {2, 31, 33, 63, 65, 130, 257, 2000}) {
      // Pseudo-random, with repeats; negative ones where there are any.
      const std::string n = std::to_string(count);
      const std::string v =
          d + "((arange(" + n + ") * 7919 + n * 13) % 101 - " + (is_signed ? "50" : "0") + ")";
      for (const std::string down : {"false", "true"}) {
        const std::string after = down == "true" ? " < " : " > ";
        lab.check("n -> let v = " + v + " in let p = argsort(v, descending: " + down +
                      ") in let s = sort(v, descending: " + down +
                      ") in (all(gather(v, p) == s), "
                      "all(s[1:]" +
                      after + "s[:-1] or (s[1:] == s[:-1] and p[1:] > p[:-1])), sum(p) == sum(arange(" + n +
                      ")))",
                  {"0", "5"}, {"(true, true, true)", "(true, true, true)"});
      }
    }
  }
  // Keys that differ in their upper bytes only, and in the sign.
  lab.check(
      "n -> let v = (arange(3000) * 7919 % 3001 - 1500) * 4294967296 in (all(sort(v) == sort(v // 4294967296) * 4294967296), sort(v)[0])",
      {"0"}, {"(true, -6442450944000)"});
}

TEST_CASE("top_k") {
  Lab lab;
  lab.check("v -> (top_k(v, 2), top_k(v, 1).1, top_k(v, 4).0, top_k(v, 0))", {"[3, 9, 1, 7]", "[5, 7, 5, 7]"},
            {"(([9, 7], [1, 3]), [1], [9, 7, 3, 1], (int64(zeros([0])), int64(zeros([0]))))",
             "(([7, 7], [1, 3]), [1], [7, 7, 5, 5], (int64(zeros([0])), int64(zeros([0]))))"},
            "((int64[2], int64[2]), int64[1], int64[4], (int64[0], int64[0]))");
  lab.check("m -> top_k(m, 2)", {"[[1.0, 3.0, 2.0], [6.0, 5.0, 4.0]]", "[[nan, 3.0, nan], [-inf, nan, 4.0]]"},
            {"([[3.0, 2.0], [6.0, 5.0]], [[1, 2], [0, 1]])", "([[3.0, nan], [4.0, -inf]], [[1, 0], [2, 0]])"},
            "(float32[2, 2], int64[2, 2])");
  lab.check("k -> top_k(uint8([1, 3, 2]), k)", {"-1", "0", "1", "3", "4"},
            {"error", "(uint8(zeros([0])), int64(zeros([0])))", "(uint8([3]), [1])",
             "(uint8([3, 2, 1]), [1, 2, 0])", "error"},
            "(uint8[?], int64[?])");
  lab.check("n -> top_k(arange(n), 2)", {"1", "2", "3"}, {"error", "([1, 0], [1, 0])", "([2, 1], [2, 1])"},
            "(int64[2], int64[2])");
  // A few of many, and ties among them.
  lab.check(
      "n -> let v = float32((arange(500) * 7 + n) % 5) in (top_k(v, 3), all(top_k(v, 499).1 == argsort(v, descending: true)[:499]))",
      {"0", "1"}, {"(([4.0, 4.0, 4.0], [2, 7, 12]), true)", "(([4.0, 4.0, 4.0], [4, 9, 14]), true)"});
  lab.refuse("v -> top_k(v, 3)", "[1, 2]", "k from 0 to 2, the length of the last axis, found 3");
  lab.refuse("v -> top_k(v, -1)", "[1, 2]", "k of 0 and more, found -1");
  lab.refuse("v -> top_k(v, 1)", "1", "found a scalar");
  lab.refuse("v -> top_k(v, [1])", "[1]", "scalar");
  lab.refuse("v -> top_k(v, 1)", "[true]", "an integer or float dtype");
}

TEST_CASE("top_k of a few of many is the front of their order") {
  Lab lab;
  const std::string front =
      " in let t = top_k(v, k) in (all(t.1 == argsort(v, descending: true)[:k]), "
      "all(t.0 == gather(v, t.1)))";
  for (const std::string d : {"uint8", "int8", "uint16", "int16", "float16", "bfloat16", "uint32", "int32",
                              "float32", "uint64", "int64", "float64"}) {
    const std::string zero = d[0] == 'u' ? "0" : "50";
    for (const int64_t count : {65, 320, 2000, 9001}) {
      // Pseudo-random, ascending and descending, with repeats.
      for (const std::string order : {"n * 7919 % 10007", "n", "9001 - n"}) {
        const std::string v = d + "((let n = arange(" + std::to_string(count) + ") in (" + order +
                              ") // 90 % 101 - " + zero + "))";
        lab.check("k -> let v = " + v + front, {"1", "7"}, {"(true, true)", "(true, true)"});
      }
    }
  }
  // Without repeats, and with so many nan that some are among the greatest.
  lab.check("k -> let v = (arange(9001) * 7919 % 9001 - 4500) * 4294967296" + front, {"1", "300", "1125"},
            {"(true, true)", "(true, true)", "(true, true)"});
  lab.check(
      "n -> let i = arange(5000) * 7919 % 5003 in let v = where(i < n, float64(i), float64(0.0 / 0.0)) in "
      "all(top_k(v, 9).1 == argsort(v, descending: true)[:9])",
      {"0", "4", "9", "1000"}, {"true", "true", "true", "true"});
}

TEST_CASE("unique") {
  Lab lab;
  lab.check("v -> unique(v)", {"[3, 1, 3, 2, 1]", "[0, 0, 0, 0, 0]", "[1, 2, 3, 4, -1]"},
            {"([3, 1, 2], [0, 1, 0, 2, 1])", "([0], [0, 0, 0, 0, 0])", "([1, 2, 3, 4, -1], [0, 1, 2, 3, 4])"},
            "(int64[?], int64[5])");
  lab.check("s -> let u = unique(s) in (u.0, u.1, gather(u.0, u.1))", {"[\"b\", \"a\", \"b\", \"\"]"},
            {"([\"b\", \"a\", \"\"], [0, 1, 0, 2], [\"b\", \"a\", \"b\", \"\"])"});
  lab.check(
      "(f, b, h) -> (unique(f), unique(b), unique(h))",
      {"([0.0, -0.0, nan, 1.5, nan, inf, 1.5], [true, true], bfloat16([1, 2, 1]))"},
      {"(([0.0, nan, 1.5, nan, inf], [0, 0, 1, 2, 3, 4, 2]), ([true], [0, 0]), (bfloat16([1, 2]), [0, 1, 0]))"});
  lab.check("n -> (unique(arange(n)), unique(arange(n) % 7).0)", {"0", "1", "300"},
            {"((int64(zeros([0])), int64(zeros([0]))), int64(zeros([0])))", "(([0], [0]), [0])",
             "((arange(300), arange(300)), arange(7))"});
  lab.check("n -> unique(squeeze(zeros([n, 2])))", {"1", "2"}, {"([0.0], [0, 0])", "error"},
            "(float32[?], int64[?])");
  lab.refuse("m -> unique(m)", "[[1, 2]]", "expected a vector, found the shape [1, 2]");
  lab.refuse("m -> unique(m)", "complex64([1])", "integers, floats, bool or strings");
}

TEST_CASE("bucketize") {
  Lab lab;
  lab.check("v -> (bucketize(v, [0.0, 10.0, 100.0]), bucketize(v, [10]), bucketize(v, []))",
            {"[-5.0, 0.0, 9.99, 10.0, 100.0, 1000.0]", "[nan, inf, -inf, -0.0, 99.9, 100.1]"},
            {"([0, 1, 1, 2, 3, 3], [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0])",
             "([3, 3, 0, 1, 2, 3], [1, 1, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0])"},
            "(int64[6], int64[6], int64[6])");
  lab.check(
      "x -> (bucketize(x, [0.5, 10.0]), bucketize(uint8(x), [-1.0, 5.5, 300.0]), "
      "bucketize(x, [-1e30, 1e30]), bucketize(uint64(x), [-5.0, 1e30]))",
      {"0", "1", "10", "11"}, {"(0, 1, 1, 1)", "(1, 1, 1, 1)", "(2, 2, 1, 1)", "(2, 2, 1, 1)"},
      "(int64, int64, int64, int64)");
  lab.check(
      "x -> bucketize([x, -9223372036854775807 - 1, 9223372036854775807], "
      "[-9223372036854775808.0, 4503599627370497.0, 9223372036854775808.0])",
      {"4503599627370496", "4503599627370497"}, {"[1, 1, 2]", "[2, 1, 2]"});
  // Boundaries adapt to the dtype of floats, so an entry equals the boundary of its own literal.
  lab.check("x -> (bucketize(x, [0.7]), bucketize(float64(x), [0.7]), bucketize(float16(0.7), [0.7]))",
            {"0.7"}, {"(1, 0, 1)"});
  // More boundaries than are compared one by one, and more entries than a tile.
  const std::string many = "[0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34]";
  lab.check(
      "n -> (all(bucketize(arange(3000) % 40, " + many +
          ") == minimum(arange(3000) % 40 // 2 + 1, 18)), "
          "all(bucketize(float32(arange(3000) % 40), [0.0, 2.0]) == minimum(arange(3000) % 40 // 2 + 1, 2)))",
      {"0"}, {"(true, true)"});
  lab.refuse("v -> bucketize(v, [1.0, 0.0])", "[1]", "rising order");
  lab.refuse("v -> bucketize(v, [nan])", "[1]", "rising order");
  lab.refuse("v -> bucketize(v, 1.0)", "[1]", "a list of boundaries");
  lab.refuse("v -> bucketize(v, v)", "[1]", "known when the dataset is built");
  lab.refuse("v -> bucketize(v, [1.0])", "[\"a\"]", "an integer or float dtype");
}

TEST_CASE("searchsorted") {
  Lab lab;
  lab.check(
      "a -> (searchsorted(a, [0, 1, 3, 4, 9]), searchsorted(a, [0, 1, 3, 4, 9], side: \"right\"), "
      "searchsorted(a, 3), searchsorted(a, [[5], [6]]))",
      {"[1, 3, 3, 5]", "[3, 3, 3, 3]"},
      {"([0, 0, 1, 3, 4], [0, 1, 3, 3, 4], 1, [[3], [4]])",
       "([0, 0, 0, 4, 4], [0, 0, 4, 4, 4], 0, [[4], [4]])"},
      "(int64[5], int64[5], int64, int64[2, 1])");
  lab.check("(a, v) -> (searchsorted(a, v), searchsorted(a[0], v, \"right\"))",
            {"([[1.0, 2.0], [3.0, 4.0]], [[2.0, 0.0, 9.0], [2.0, 3.5, 9.0]])"},
            {"([[1, 0, 2], [0, 1, 2]], [[2, 0, 2], [2, 2, 2]])"});
  lab.check("n -> (searchsorted(arange(n), [0, 2]), searchsorted(float16([1, 2]), float16(arange(n))))",
            {"0", "1", "4"}, {"([0, 0], int64(zeros([0])))", "([0, 1], [0])", "([0, 2], [0, 0, 1, 2])"},
            "(int64[2], int64[?])");
  lab.check("n -> searchsorted(zeros([2, 3]), zeros([n, 4]))", {"1", "2"}, {"error", "zeros([2, 4], int64)"},
            "int64[?, 4]");
  lab.refuse("a -> searchsorted(a, [1], side: \"middle\")", "[1]", "found \"middle\"");
  lab.refuse("a -> searchsorted(a, 1)", "[[1]]", "a vector to search, or one for each vector of v");
  lab.refuse("a -> searchsorted(1, a)", "[1]", "found the shapes [] and [1]");
  lab.refuse("a -> searchsorted(a, [1.5])", "[1]", "float");
}

TEST_CASE("matmul") {
  Lab lab;
  lab.check("(a, b) -> (matmul(a, b), matmul(a, [[1], [1]]), matmul([[1, 1]], b))",
            {"([[1, 2], [3, 4]], [[5, 6], [7, 8]])", "([[0, 1], [-1, 0]], [[2, 3], [4, 5]])"},
            {"([[19, 22], [43, 50]], [[3], [7]], [[12, 14]])", "([[4, 5], [-2, -3]], [[1], [-1]], [[6, 8]])"},
            "(int64[2, 2], int64[2, 1], int64[1, 2])");
  lab.check("q -> (matmul(q, q), matmul(q, eye(2)), matmul(eye(2), q), matmul(expand_dims(q, 1), q))",
            {"reshape(float32(arange(8)), [2, 2, 2])"},
            {"([[[2.0, 3.0], [6.0, 11.0]], [[46.0, 55.0], [66.0, 79.0]]], "
             "[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]], "
             "[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]], "
             "[[[[2.0, 3.0], [6.0, 11.0]], [[6.0, 7.0], [26.0, 31.0]]], "
             "[[[10.0, 19.0], [14.0, 27.0]], [[46.0, 55.0], [66.0, 79.0]]]])"},
            "(float32[2, 2, 2], float32[2, 2, 2], float32[2, 2, 2], float32[2, 2, 2, 2])");
  lab.check(
      "(h, b, z, i) -> (matmul(h, h), matmul(b, b), matmul(z, z), matmul(i, i))",
      {"(float16([[1, 2], [3, 4]]), bfloat16([[256, 1], [1, 1]]), bitcast(float32([[[1, 2]]]), complex64), "
       "uint8([[16, 1], [16, 255]]))"},
      {"(float16([[7, 10], [15, 22]]), bfloat16([[65537, 257], [257, 2]]), "
       "bitcast(float32([[[-3, 4]]]), complex64), uint8([[16, 15], [240, 17]]))"});
  lab.check("n -> (matmul(zeros([2, n]), zeros([n, 3])), matmul(zeros([n, 2]), [[1.0], [2.0]]))", {"0", "1"},
            {"(zeros([2, 3]), zeros([0, 1]))", "(zeros([2, 3]), [[0.0]])"}, "(float32[2, 3], float32[?, 1])");
  lab.check("n -> matmul(zeros([2, n]), zeros([3, 1]))", {"2", "3"}, {"error", "[[0.0], [0.0]]"},
            "float32[2, 1]");
  lab.check("n -> matmul(squeeze(reshape(arange(2 * n), [n, 2])), [[1], [1]])", {"1", "2"},
            {"error", "[[1], [5]]"}, "int64[...]");
  lab.refuse("(a, b) -> matmul(a, b)", "([[1, 2]], [[1, 2]])", "as many columns in the first matrix as rows");
  lab.refuse("(a, b) -> matmul(a, b)", "([[1, 2]], [1, 2])", "two dimensions or more");
  lab.refuse("(a, b) -> matmul(a, b)", "(zeros([2, 1, 1]), zeros([3, 1, 1]))",
             "batches of matrices that broadcast");
  lab.refuse("a -> matmul(a, a)", "[[\"a\"]]", "a dtype of numbers");
  lab.refuse("(a, b) -> matmul(a, b)", "([[1]], [[1.0]])", "one dtype");
}

TEST_CASE("matmul of sizes that do not fill its tiles") {
  Lab lab;
  for (const std::string d : {"float32", "float64", "int8", "int16", "int32", "int64", "uint64", "float16"}) {
    for (const std::string m : {"1", "3", "4", "9"}) {
      for (const std::string n : {"1", "7", "8", "15", "16", "17", "40"}) {
        // Small numbers, whose sums are exact in every dtype. Beside it, the same as a sum of products.
        const std::string a = "reshape((arange(" + m + " * 5) * 3 + x) % 4 - 1, [" + m + ", 5])";
        const std::string b = "reshape((arange(5 * " + n + ") * 5 + x) % 7 - 3, [5, " + n + "])";
        const std::string sum = "sum(expand_dims(" + a + ", 2) * expand_dims(" + b + ", 0), axis: 1)";
        const std::string cast_sum = d == "uint64" ? "uint64(" + sum + ")" : d + "(" + sum + ")";
        lab.check("x -> all(matmul(" + d + "(" + a + "), " + d + "(" + b + ")) == " + cast_sum + ")",
                  {"0", "1"}, {"true", "true"});
      }
    }
  }
  // One matrix on the right for all rows, and a different one for each.
  lab.check(
      "(v, m) -> (matmul(v, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), matmul(v, m), matmul([[1.0, 2.0]], m))",
      {"([[1.0, 0.0]], [[1.0], [2.0]])", "([[0.0, 1.0]], [[3.0], [4.0]])", "([[2.0, 1.0]], [[5.0], [6.0]])"},
      {"([[1.0, 2.0, 3.0]], [[1.0]], [[5.0]])", "([[4.0, 5.0, 6.0]], [[4.0]], [[11.0]])",
       "([[6.0, 9.0, 12.0]], [[16.0]], [[17.0]])"});
}

}  // namespace weir::test
