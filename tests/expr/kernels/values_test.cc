// Sparse and ragged tensors and optionals.
#include "expr/harness.h"

namespace weir::test {

TEST_CASE("sparse and its parts") {
  Lab lab;
  lab.check("n -> sparse([[n, 1], [2, 0]], [5, 7], [3, 2])", {"0", "2", "3", "-1"},
            {"sparse(indices: [[0, 1], [2, 0]], values: [5, 7], shape: [3, 2])",
             "sparse(indices: [[2, 1], [2, 0]], values: [5, 7], shape: [3, 2])", "error", "error"},
            "sparse<int64>[3, 2]");
  lab.check(
      "n -> let s = sparse(reshape(arange(n), [n, 1]), arange(n) * 2, [4]) in (indices(s), values(s), dense_shape(s))",
      {"0", "2", "4", "5"},
      {"(zeros([0, 1], int64), zeros([0], int64), [4])", "([[0], [1]], [0, 2], [4])",
       "([[0], [1], [2], [3]], [0, 2, 4, 6], [4])", "error"},
      "(int64[?, 1], int64[?], int64[1])");
  lab.check("n -> dense_shape(sparse(zeros([0, 2], int64), [\"\"][0:0], [n, 2]))", {"0", "7", "-1"},
            {"[0, 2]", "[7, 2]", "error"}, "int64[2]");
  // As many indices as values, also where only the element tells.
  lab.check("n -> values(sparse([[0], [1]], full([n], 0.5), [2]))", {"2", "1", "3"},
            {"[0.5, 0.5]", "error", "error"});
  lab.refuse("n -> sparse([[0], [1]], [n], [2])", "1", "each of the 1 values");
  lab.refuse("n -> sparse([[0, 1]], [n], [2])", "1", "each of the 1 dimensions");
  lab.refuse("n -> sparse([0, 1], [n], [2])", "1", "indices as a matrix");
  lab.refuse("n -> sparse([[0]], n, [2])", "1", "a vector of values");
  lab.refuse("n -> sparse([[0]], [n], 2)", "1", "a shape as a vector");
  lab.refuse("n -> sparse([[0]], [n], [2]) + 1", "1", "to_dense(x) makes a dense tensor");
  lab.refuse("n -> values([n])", "1", "from_dense(x) makes a sparse tensor");
}

TEST_CASE("to_dense and from_dense") {
  Lab lab;
  lab.check("n -> let s = sparse([[0, 1], [n, 0]], [5, 7], [3, 2]) in (to_dense(s), to_dense(s, default: n))",
            {"1", "2", "0"},
            {"([[0, 5], [7, 0], [0, 0]], [[1, 5], [7, 1], [1, 1]])",
             "([[0, 5], [0, 0], [7, 0]], [[2, 5], [2, 2], [7, 2]])", "error"},
            "(int64[3, 2], int64[3, 2])");
  // A repeated index.
  lab.check("n -> to_dense(sparse([[1], [n]], [\"a\", \"b\"], [4]), default: \"-\")", {"3", "1"},
            {"[\"-\", \"a\", \"-\", \"b\"]", "error"}, "string[4]");
  lab.check("n -> to_dense(sparse([[0]], [true], [n]))", {"1", "3"}, {"[true]", "[true, false, false]"},
            "bool[?]");
  lab.check("x -> from_dense(x)", {"[[1.5, 0.0], [-0.0, -2.0]]", "[[0.0, 0.0], [0.0, 0.25]]"},
            {"sparse(indices: [[0, 0], [1, 1]], values: [1.5, -2.0], shape: [2, 2])",
             "sparse(indices: [[1, 1]], values: [0.25], shape: [2, 2])"},
            "sparse<float32>[2, 2]");
  lab.check("(s, b, h) -> (values(from_dense(s)), indices(from_dense(b)), values(from_dense(h)))",
            {"([\"\", \"x\", \"\"], [false, true, true], float16([0.0, -0.0, 2.0]))"},
            {"([\"x\"], [[1], [2]], float16([2.0]))"});
  lab.check("x -> to_dense(from_dense(x))", {"7", "0"}, {"7", "0"}, "int64");
  lab.check("n -> from_dense(full([n, 2], n))", {"0", "1"},
            {"sparse(indices: zeros([0, 2], int64), values: zeros([0], int64), shape: [0, 2])",
             "sparse(indices: [[0, 0], [0, 1]], values: [1, 1], shape: [1, 2])"});
  lab.refuse("x -> to_dense(x)", "[1]", "expected a sparse tensor for to_dense");
  lab.refuse("x -> to_dense(from_dense(x), default: 0.5)", "[1]", "");
  lab.refuse("x -> to_dense(from_dense(x), default: [1])", "[1]", "to be a scalar");
}

TEST_CASE("ragged, to_tensor, row_lengths and flat_values") {
  Lab lab;
  lab.check("(v, s) -> ragged(v, s)",
            {"([1, 2, 3], [0, 1, 3])", "([1, 2, 3], [0, 0, 3])", "([1, 2, 3], [1, 1, 3])",
             "([1, 2, 3], [0, 3, 2])", "([1, 2, 3], [0, 4, 3])"},
            {"ragged([1, 2, 3], [0, 1, 3])", "ragged([1, 2, 3], [0, 0, 3])", "error", "error", "error"},
            "ragged<int64>[2, ?]");
  lab.check(
      "v -> let r = ragged(v, [0, 1, 3]) in (to_tensor(r), to_tensor(r, default: 9), row_lengths(r), flat_values(r))",
      {"[[1, 2], [3, 4], [5, 6]]"},
      {"([[[1, 2], [0, 0]], [[3, 4], [5, 6]]], [[[1, 2], [9, 9]], [[3, 4], [5, 6]]], [1, 2], [[1, 2], [3, 4], [5, 6]])"},
      "(int64[2, ?, 2], int64[2, ?, 2], int64[2], int64[?, 2])");
  lab.check("n -> to_tensor(ragged(arange(n), stack([0, n // 2, n])), default: -1)", {"0", "1", "4", "5"},
            {"zeros([2, 0], int64)", "[[-1], [0]]", "[[0, 1], [2, 3]]", "[[0, 1, -1], [2, 3, 4]]"},
            "int64[2, ?]");
  lab.check("s -> to_tensor(ragged(s, [0, 2, 3]))", {"[\"a\", \"b\", \"c\"]"},
            {"[[\"a\", \"b\"], [\"c\", \"\"]]"});
  lab.check("v -> row_lengths(ragged(v, [0]))", {"zeros([0])"}, {"zeros([0], int64)"});
  lab.refuse("v -> ragged(v, [0, 1])", "1", "values with a first dimension");
  lab.refuse("v -> ragged(v, zeros([0], int64))", "[1]", "at least one row split");
  lab.refuse("v -> ragged(v, 1)", "[1]", "a vector of row splits");
  lab.refuse("v -> to_tensor(from_dense(v))", "[1]", "a ragged tensor for to_tensor");
}

TEST_CASE("optionals") {
  Lab lab;
  const std::string kNothing =
      "nothing({s: sparse<float32>[?, 4], r: ragged<int64>[?, ?], o: optional<string>})";
  lab.check("n -> if n % 2 == 0 then some((n, \"x\")) else nothing((int64, string))", {"0", "1", "4"},
            {"some((0, \"x\"))", "nothing((int64, string))", "some((4, \"x\"))"},
            "optional<(int64, string)>");
  lab.check(
      "n -> let o = if n < 2 then some(n) else nothing(int64) in (has_value(o), if has_value(o) then get_value(o) else -1)",
      {"0", "1", "2"}, {"(true, 0)", "(true, 1)", "(false, -1)"}, "(bool, int64)");
  lab.check("n -> get_value(if n < 2 then some({a: n}) else nothing({a: int64})).a", {"1", "2", "0"},
            {"1", "error", "0"}, "int64");
  // Branches that differ in a dimension, also inside.
  lab.check("n -> if n == 0 then some(zeros([2])) else nothing(float32[3])", {"0", "1"},
            {"some([0.0, 0.0])", "nothing(float32[3])"}, "optional<float32[?]>");
  lab.check(
      "n -> if n == 0 then from_dense([1, 0]) else from_dense([0, 0, 3])", {"0", "1"},
      {"sparse(indices: [[0]], values: [1], shape: [2])", "sparse(indices: [[2]], values: [3], shape: [3])"},
      "sparse<int64>[?]");
  lab.check("n -> " + kNothing, {"0", "1"}, {kNothing, kNothing},
            "optional<{s: sparse<float32>[?, 4], r: ragged<int64>[?, ?], o: optional<string>}>");
  lab.refuse("n -> nothing(dataset<int64>)", "1", "expected tensors");
  lab.refuse("n -> some(n) + 1", "1", "get_value(x) takes the value out");
  lab.refuse("n -> get_value(n)", "1", "some(x) makes an optional");
  lab.refuse("n -> if n == 0 then some(n) else some(0.5)", "1", "both branches");
}

TEST_CASE("saturate_cast holds values within the dtype") {
  Lab lab;
  lab.check("v -> (saturate_cast(v, uint8), saturate_cast(v, int8), saturate_cast(v, uint64))",
            {"[300, -5, 128, 77]", "[255, 256, -128, -129]"},
            {"(uint8([255, 0, 128, 77]), int8([127, -5, 127, 77]), uint64([300, 0, 128, 77]))",
             "(uint8([255, 255, 0, 0]), int8([127, 127, -128, -128]), uint64([255, 256, 0, 0]))"},
            "(uint8[4], int8[4], uint64[4])");
  lab.check("v -> (saturate_cast(v, int64), saturate_cast(v, int32))",
            {"uint64([18446744073709551615, 9223372036854775807, 1])"},
            {"([9223372036854775807, 9223372036854775807, 1], int32([2147483647, 2147483647, 1]))"});
  lab.check(
      "v -> (saturate_cast(v, uint8), saturate_cast(v, int32), saturate_cast(v, int64), saturate_cast(v, uint64))",
      {"[300.7, -5.5, 77.9, nan]", "[inf, -inf, 1e10, 255.5]"},
      {"(uint8([255, 0, 77, 0]), int32([300, -5, 77, 0]), [300, -5, 77, 0], uint64([300, 0, 77, 0]))",
       "(uint8([255, 0, 255, 255]), int32([2147483520, -2147483648, 2147483520, 255]), [9223371487098961920, -9223372036854775808, 10000000000, 255], uint64([18446742974197923840, 0, 10000000000, 255]))"});
  lab.check(
      "v -> (saturate_cast(v, float32), saturate_cast(v, float16), saturate_cast(v, bfloat16))",
      {"float64([1e300, -inf, 0.5, 65520.0])"},
      {"([3.4028235e38, -3.4028235e38, 0.5, 65520.0], float16([65504.0, -65504.0, 0.5, 65504.0]), bfloat16([3.39e38, -3.39e38, 0.5, 65536.0]))"});
  lab.check("v -> (saturate_cast(v, float16), saturate_cast(v, float64))", {"[100000, -100000, 3]"},
            {"(float16([65504.0, -65504.0, 3.0]), float64([100000.0, -100000.0, 3.0]))"});
  lab.check("v -> (saturate_cast(v, bfloat16), saturate_cast(v, int8))", {"float16([inf, -1.5, nan])"},
            {"(bfloat16([65504.0, -1.5, nan]), int8([127, -1, 0]))"});
  lab.refuse("s -> saturate_cast(s, uint8)", "\"a\"", "found string");
  lab.refuse("x -> saturate_cast(x, bool)", "1", "found bool");
}

}  // namespace weir::test
