// Arguments of unknown rank: each element is computed as its own rank asks for.
#include "expr/harness.h"

namespace weir::test {

TEST_CASE("a kernel that needs a rank takes that of the element") {
  Lab lab;
  lab.check("v -> sum(v, axis: 0)", {"[1, 2]", "[[1, 2], [3, 5]]", "5", "[7]", "[[8, 9]]"},
            {"3", "[4, 7]", "error", "7", "[8, 9]"}, "int64[...]");
  lab.check("v -> (expand_dims(v, -1), argmax(expand_dims(v, 0), axis: -1))", {"5", "[3, 9, 2]"},
            {"([5], 0)", "([[3], [9], [2]], [1])"});
  lab.check("v -> squeeze(v, axis: 0)", {"[[4, 5]]", "[6]", "[1, 2]", "1"},
            {"[4, 5]", "6", "error", "error"});
  lab.check("v -> mean(float32(v), axis: [0, -1])", {"[[1, 2], [3, 6]]", "[5]", "2"},
            {"3.0", "error", "error"});
}

TEST_CASE("two arguments of unknown rank are typed for each pair of ranks") {
  Lab lab;
  lab.check("(a, b) -> concat([a, b], axis: 0)",
            {"([1], [2, 3])", "([[1, 2]], [[3, 4], [5, 6]])", "([1], [[2]])", "(1, 2)"},
            {"[1, 2, 3]", "[[1, 2], [3, 4], [5, 6]]", "error", "error"});
  lab.check("(a, b) -> one_hot(a, b, dtype: int64)", {"(1, 2)", "([0, 1], 2)", "(1, [2])", "([2], 3)"},
            {"[0, 1]", "[[1, 0], [0, 1]]", "error", "[[0, 0, 1]]"});
}

TEST_CASE("a scalar is due: each element is checked") {
  Lab lab;
  lab.check("x -> arange(x)", {"3", "[2]", "1"}, {"[0, 1, 2]", "error", "[0]"}, "int64[?]");
  lab.check("x -> if x > 1 then x else 7", {"3", "0"}, {"3", "7"});
  lab.check("x -> if x == 0 then \"a\" else \"b\"", {"3", "[0]", "0"}, {"\"b\"", "error", "\"a\""}, "string");
  lab.check("x -> [7, 8, 9][x]", {"2", "[1]", "-1"}, {"9", "error", "9"}, "int64");
  lab.check("x -> full([2], x)", {"2", "[1]", "4"}, {"[2, 2]", "error", "[4, 4]"}, "int64[2]");
  lab.check("x -> assert(x > 1, \"small\", x)", {"2", "[3]", "1"}, {"2", "error", "error"});
}

TEST_CASE("what no rank allows is refused when the graph is built") {
  Lab lab;
  Spec unknown = Spec::tensor(DType::string, Shape::unknown_rank());
  const Result<FunctionRef> refused = lab.compile("x -> sum(x, axis: 0)", unknown);
  REQUIRE(!refused.ok());
  CHECK(refused.status().error().message.find("integer or float") != std::string::npos);
  unknown.dtype = DType::float32;
  CHECK(lab.compile("x -> sum(x, axis: 0)", unknown).ok());
  CHECK_FALSE(lab.compile("x -> sum(x, axis: 9)", unknown).ok());
}

}  // namespace weir::test
