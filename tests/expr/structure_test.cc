#include "expr/harness.h"

namespace weir::test {

TEST_CASE("patterns take elements apart") {
  Lab lab;
  lab.check("(_, (b, _), _) -> b", {"(1, (2, 3), 4)"}, {"2"});
  lab.check("{a: (x, y), b: {c}} -> [x, y, c]", {"{a: (1, 2), b: {c: 3}}"}, {"[1, 2, 3]"});
  lab.check("d -> (d.a, d.b.c[1])", {"{a: 1, b: {c: [2, 3]}}"}, {"(1, 3)"});
  lab.check("t -> (t.1).1 * 10 + t.0", {"(1, (2, 3))"}, {"31"});
  lab.refuse("(a, b, c) -> a", "(1, 2)", "3 members");
  lab.refuse("{a, z} -> a", "{a: 1, b: 2}", "no key z");
  lab.refuse("t -> t.2", "(1, 2)", "position 2");
  lab.refuse("t -> t[0]", "(1, 2)", "tensor");
}

TEST_CASE("spreads and rests take dicts apart and join them") {
  Lab lab;
  lab.check("e -> {...e, a: e.a + 1, c: 0}", {"{a: 1, b: 2.5}"}, {"{a: 2, b: 2.5, c: 0}"});
  lab.check("(x, y) -> {k: 0, ...x, m: 1, ...y}", {"({a: 1, k: 2}, {m: 3, a: 4})"}, {"{k: 2, a: 4, m: 3}"});
  lab.check("{a, ...rest} -> (rest, a)", {"{b: {c: 1, d: [2, 3]}, a: \"x\"}"},
            {"({b: {c: 1, d: [2, 3]}}, \"x\")"});
  lab.check("e -> only(without(e, [\"b\"]), [\"c\", \"a\"])", {"{a: 1, b: {p: 2, q: 3}, c: (4, 5)}"},
            {"{c: (4, 5), a: 1}"});
  // Literals adapt in a spread as elsewhere.
  lab.check("x -> let s = {k: 1} in {...s}.k + x", {"2.0"}, {"3.0"}, "float32");
  // What a later value replaces still fails.
  lab.check("x -> {a: 1 // x, ...{a: x}}", {"1", "0"}, {"{a: 1}", "error"});
  lab.refuse("x -> {...x}", "(1, 2)", "expected a dict to spread");
  lab.refuse("{z, ...r} -> r", "{a: 1}", "no key z");
  lab.refuse("{a, ...r} -> r.a", "{a: 1, b: 2}", "no key a");
  lab.refuse("e -> without(e, [\"aa\"])", "{a: 1, b: 2}", "no key aa");
  lab.refuse("e -> only(e, [\"a\" + \"\"])", "{a: 1, b: 2}", "written as strings");
  lab.refuse("e -> only(e.a, [\"a\"])", "{a: 1, b: 2}", "expected a dict");
}

TEST_CASE("if computes only the branch taken") {
  Lab lab;
  lab.check("x -> if x == 0 then 0 else 10 // x", {"0", "1", "2", "0"}, {"0", "10", "5", "0"});
  lab.check("x -> if x > 0 then (x, \"pos\") else (0, \"none\")", {"0", "5"},
            {"(0, \"none\")", "(5, \"pos\")"});
  lab.check("x -> if x < 1 then \"low\" else if x < 3 then \"mid\" else \"high\"", {"0", "1", "3"},
            {"\"low\"", "\"mid\"", "\"high\""});
  lab.check("x -> if x == 1 then 7 // (x - 1) else x", {"0", "1", "2"}, {"0", "error", "2"});
  lab.check("(x, v) -> if x > 1 then v else v[:1]", {"(1, [1, 2])", "(2, [3, 4])", "(0, [5, 6])"},
            {"[1]", "[3, 4]", "[5]"}, "int64[?]");
  lab.check("x -> if x > 1 then {a: x, b: 1} else {b: 2, a: 3}", {"1", "2"},
            {"{a: 3, b: 2}", "{a: 2, b: 1}"});
  lab.check("x -> (if 8 // x > 3 then x * 2 else -x) + 1", {"0", "2", "4"}, {"error", "5", "-3"});
  lab.check("x -> if true then x else x // 0", {"3", "4"}, {"3", "4"});
  lab.refuse("x -> if x then 1 else 2", "1", "scalar bool");
  lab.refuse("v -> if v > 1 then 1 else 2", "[1, 2]", "scalar bool");
  lab.refuse("x -> if x > 1 then x else \"a\"", "1", "one dtype");
  lab.refuse("x -> if x > 1 then (x, x) else x", "1", "one structure");
}

TEST_CASE("the other branch does not see failed rows, and ordinals stay") {
  Lab lab;
  lab.check("x -> let y = 12 // x in if y > 3 then y else if y == 3 then 0 else 1 // (y - 2)",
            {"0", "1", "4", "6", "12"}, {"error", "12", "0", "error", "-1"});
}

TEST_CASE("indexing is NumPy's") {
  Lab lab;
  lab.check("v -> (v[0], v[-1], v[1:3], v[::-1], v[:-3], v[3:])", {"[10, 20, 30, 40, 50]"},
            {"(10, 50, [20, 30], [50, 40, 30, 20, 10], [10, 20], [40, 50])"});
  lab.check("m -> (m[1, 2], m[:, 0], m[::-1, ::2], m[..., newaxis], m[newaxis, ..., 0])",
            {"[[1, 2, 3], [4, 5, 6]]"},
            {"(6, [1, 4], [[4, 6], [1, 3]], [[[1], [2], [3]], [[4], [5], [6]]], [[1, 4]])"},
            "(int64, int64[2], int64[2, 2], int64[2, 3, 1], int64[1, 2])");
  lab.check("i -> [10, 20, 30][i]", {"0", "-1", "3", "-4", "2"}, {"10", "30", "error", "error", "30"});
  lab.check("i -> [1, 2][i:]", {"0", "1", "2", "3"},
            {"[1, 2]", "[2]", "zeros([0], int64)", "zeros([0], int64)"}, "int64[?]");
  lab.check("s -> [1, 2, 3, 4, 5][::s]", {"1", "2", "0", "-3"},
            {"[1, 2, 3, 4, 5]", "[1, 3, 5]", "error", "[5, 2]"});
  lab.check("v -> (v[1], v[::-1])", {"[\"a\", \"bc\", \"\"]"}, {"(\"bc\", [\"\", \"bc\", \"a\"])"});
  lab.check("(v, i) -> v[i]", {"([1, 2], 1)", "([3, 4, 5], 2)", "([6], 1)"}, {"2", "5", "error"});
  const std::string lowest = "-9223372036854775807 - 1";
  lab.check("i -> [10, 20][i]", {"1", lowest}, {"20", "error"});
  lab.check("i -> ([1, 2, 3][i:], [1, 2, 3][:i], [1, 2, 3][::i])", {"2", lowest},
            {"([3], [1, 2], [1, 3])", "([1, 2, 3], zeros([0], int64), [3])"});
  lab.check("v -> (v[-9223372036854775808:], v[::-9223372036854775808])", {"[1, 2, 3]"}, {"([1, 2, 3], [3])"},
            "(int64[3], int64[1])");
  lab.refuse("v -> v[-9223372036854775808]", "[1, 2, 3]", "out of range");
  lab.refuse("v -> v[3]", "[1, 2, 3]", "out of range");
  lab.refuse("v -> v[0, 0]", "[1, 2, 3]", "at most 1");
  lab.refuse("v -> v[0.5]", "[1, 2, 3]", "0.5");
  lab.refuse("v -> v[::0]", "[1, 2, 3]", "step");
}

TEST_CASE("casts truncate, wrap and compare with zero") {
  Lab lab;
  lab.check("v -> (int64(v), int8(v))", {"[1.9, -1.9, 0.5, 2.0]"}, {"([1, -1, 0, 2], int8([1, -1, 0, 2]))"});
  lab.check("v -> (uint8(v), uint64(v), bool(v))", {"[-1, 0]"},
            {"(uint8([255, 0]), uint64([18446744073709551615, 0]), [true, false])"});
  lab.check("v -> float32(v)", {"[16777217, 33554437]"}, {"[16777216.0, 33554436.0]"});
  lab.check("v -> float16(v)", {"[2049.0, 65520.0]"}, {"float16([2048.0, inf])"});
  lab.check("v -> cast(v, complex64) * complex64(2)", {"[1.5]"}, {"complex64([3.0])"});
  lab.check("x -> (x, uint8(x))", {"uint8(3)"}, {"(uint8(3), uint8(3))"});
}

TEST_CASE("results may be variables, constants and the same twice") {
  Lab lab;
  lab.check("x -> (x, 5, x, \"a\", [x, 1])", {"1", "2"},
            {"(1, 5, 1, \"a\", [1, 1])", "(2, 5, 2, \"a\", [2, 1])"});
  lab.check("x -> let y = x + 1 in (y, y, y[newaxis])", {"1", "2"}, {"(2, 2, [2])", "(3, 3, [3])"});
}

TEST_CASE("a function says what passes through and whether it can fail") {
  Lab lab;
  Spec input;
  lab.value("(1, 2)", &input);
  auto f = lab.compile("(a, b) -> (b, a + b)", input);
  REQUIRE(f.ok());
  CHECK_FALSE((*f)->can_fail());
  CHECK((*f)->passes(0) == 1);
  CHECK((*f)->passes(1) == -1);
  auto g = lab.compile("(a, b) -> (a, a // b)", input);
  REQUIRE(g.ok());
  CHECK((*g)->can_fail());
}

TEST_CASE("drop computes only what can fail") {
  Lab lab;
  Spec input;
  const Block in = lab.block({"1", "0", "2"}, &input);
  auto f = lab.compile("x -> (x * 100, 6 // x)", input);
  REQUIRE(f.ok());
  Block out;
  (*f)->call({.session = *lab.world.session, .drop = true}, in, out);
  CHECK(out.rows == 3);
  CHECK(out.columns.empty());
  REQUIRE(out.errors.size() == 1);
  CHECK(out.errors[0].row == 1);
}

TEST_CASE("results are written where they are wanted") {
  Lab lab;
  Spec input;
  const Block in = lab.block({"1", "2", "3"}, &input);
  auto f = lab.compile("x -> x + 1", input);
  REQUIRE(f.ok());
  BufferRef buffer = Buffer::allocate(1024);
  Block out;
  out.columns.resize(1);
  out.columns[0].bind_target(buffer, buffer->data() + 64, 960);
  (*f)->call({.session = *lab.world.session}, in, out);
  CHECK(out.columns[0].tensor().data == buffer->data() + 64);
  CHECK(out.columns[0].tensor().as<int64_t>()[2] == 4);
}

TEST_CASE("rows that failed before keep their error and are not computed") {
  Lab lab;
  Spec input;
  Block in = lab.block({"(1, \"a\")", "(0, \"b\")", "(2, \"c\")"}, &input);
  in.fail_row(1, data_loss("torn").pointer());
  auto f = lab.compile("(x, s) -> (6 // x, s + \"!\")", input);
  REQUIRE(f.ok());
  const Block out = lab.run(**f, in, 128);
  REQUIRE(out.errors.size() == 1);
  CHECK(out.errors[0].row == 1);
  CHECK(out.errors[0].error->code == Code::data_loss);
  lab.check_row(out.row(2), "(3, \"c!\")");
}

}  // namespace weir::test
