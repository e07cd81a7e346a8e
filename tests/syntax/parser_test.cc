#include "syntax/parser.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "core/text.h"
#include "syntax/notation.h"

namespace weir::syntax {
namespace {

struct Grouping {
  const char* written;
  const char* grouped;
};

TEST_CASE("parser: how strongly operators bind") {
  for (const Grouping& row :
       std::vector<Grouping>{{"a or b and c", "a or (b and c)"},
                             {"a or b or c", "(a or b) or c"},
                             {"not a and b", "(not a) and b"},
                             {"not not a", "not (not a)"},
                             {"not a == b", "not (a == b)"},
                             {"a + b < c * d", "(a + b) < (c * d)"},
                             {"a - b - c", "(a - b) - c"},
                             {"a / b * c // d % e", "(((a / b) * c) // d) % e"},
                             {"a + b * c", "a + (b * c)"},
                             {"-a * b", "(-a) * b"},
                             {"a * -b", "a * (-b)"},
                             {"a - -b", "a - (-b)"},
                             {"--a", "-(-a)"},
                             {"-2 ** 2", "-(2 ** 2)"},
                             {"2 ** -1", "2 ** (-1)"},
                             {"a ** b ** c", "a ** (b ** c)"},
                             {"-a ** -b ** c", "-(a ** (-(b ** c)))"},
                             {"-x[0]", "-(x[0])"},
                             {"a ** x.b[0].1", "a ** ((((x).b)[0]).1)"},
                             {"if a or b then c else d + e", "if (a or b) then c else (d + e)"},
                             {"if a then b else if c then d else e", "if a then b else (if c then d else e)"},
                             {"let x = a + b in x * x", "let x = (a + b) in (x * x)"},
                             {"let x = let y = 1 in y in x", "let x = (let y = 1 in y) in x"},
                             {"a == b | t()", "(a == b) | t()"},
                             {"if c then a else b | t()", "(if c then a else b) | t()"},
                             {"let n = 1 in a | t()", "(let n = 1 in a) | t()"}}) {
    INFO(row.written);
    Result<Tree> written = parse_document(row.written, notation());
    Result<Tree> grouped = parse_document(row.grouped, notation());
    REQUIRE(written.ok());
    REQUIRE(grouped.ok());
    CHECK(equal(*written->root, *grouped->root));
    CHECK(print(*grouped->root) == row.written);
  }
}

TEST_CASE("parser: grouping that changes the meaning is kept") {
  for (const char* text : {"(a or b) and c", "not (a or b)", "(not a) == b", "a - (b - c)", "(a + b) * c",
                           "(-2) ** 2", "(a ** b) ** c", "(a < b) < c", "a < (b < c)", "(-x)[0]", "(a + b).c",
                           "(if c then a else b) + 1", "1 + (let x = 1 in x)", "(w | cardinality()) == 2",
                           "-(not a)", "let n = e in (range(n) | map(y -> y + n))", "a * (b * c)"}) {
    INFO(text);
    CHECK(canonical(text) == text);
    check_fixpoint(text);
  }
}

TEST_CASE("parser: what the notation allows") {
  for (const char* text : {
           "range(5)",
           "interleave(f -> text_line(f) | skip(1), cycle_length: 4)",
           "sum(sum)",
           "map(sum -> sum(sum))",
           "param n: int64\nrange($n)",
           "param n: int64 range($n)",
           "param s: (int64) (range(3))",
           "param s: int64 [1]",
           "let a = range(2) let a = a | take(1) a",
           "let a = b (range(3))",
           "let a = b [1, 2]",
           "let n = 3 in range(n)",
           "let let_ = 1 let_",
           "f({if: 1, then: 2, \"\": 3})",
           "x.then.in.param",
           "x.0.1.2",
           "x . 0 . a",
           "x . \"a b\"",
           "f(if: 1, let: 2)",
           "m({in: x} -> x)",
           "m({_} -> 1)",
           "m((_, _) -> 1)",
           "m(x -> m(x -> x))",
           "range(\n5 ,\n)",
       }) {
    check_fixpoint(text);
  }
}

struct Mistake {
  const char* text;
  int line, column;
  const char* says;
};

void check_mistakes(const std::vector<Mistake>& rows) {
  for (const Mistake& row : rows) {
    INFO(row.text);
    Result<Tree> tree = parse_document(row.text, notation());
    REQUIRE_FALSE(tree.ok());
    Status status = render(tree.status(), row.text);
    CHECK(status.code() == Code::invalid_argument);
    const std::string& message = status.error().message;
    INFO(message);
    CHECK(message.starts_with(concat("line ", row.line, ", column ", row.column, ": ")));
    CHECK(message.find(row.says) != std::string::npos);
    CHECK(message.ends_with("^"));
  }
}

TEST_CASE("parser: mistakes in documents") {
  check_mistakes({
      {"", 1, 1, "expected an expression, found the end of the text"},
      {"let a = range(1)", 1, 17, "found the end of the text"},
      {"range(1) range(2)", 1, 10, "expected the end of the text, found 'range'"},
      {"range(1)\nlet a = 1", 2, 1, "expected the end of the text, found the reserved word 'let'"},
      {"param n: int64 param n: int64 range(1)", 1, 22, "a second param 'n'"},
      {"param if: int64 range(1)", 1, 7, "expected a name, found the reserved word 'if'"},
      {"let _ = 1 range(1)", 1, 5, "expected a name, found '_'"},
      {"param n int64 range(1)", 1, 9, "expected ':'"},
      {"let a range(1)", 1, 7, "expected '='"},
      {"let a = b | c() in a", 1, 17, "found the reserved word 'in'"},
      {"range(1) | 5", 1, 12, "name of a transformation after '|', found '5'"},
      {"range(1) | take", 1, 16, "expected '(' right after 'take', found the end"},
      {"range(1) | take (1)", 1, 17, "applies only to what it touches"},
      {"range(1) | if(1)", 1, 12, "name of a transformation"},
      {"range (1)", 1, 7, "applies only to what it touches"},
      {"range(1) ; take", 1, 10, "found ';', which begins nothing"},
      {"range(1)\n  'a'", 2, 3, "double quotes"},
      {"range(\x01)", 1, 7, "control character"},
      {"range(\xc3\xa9)", 1, 7, "outside ASCII"},
  });
}

TEST_CASE("parser: mistakes in calls and lambdas") {
  check_mistakes({
      {"f(a: 1, 2)", 1, 9, "positional arguments come first, found '2'"},
      {"f(a: 1, b: 2, a: 3)", 1, 15, "'a' is given twice"},
      {"f(1 2)", 1, 5, "expected ',' or ')' to close the '(' of line 1, column 2, found '2'"},
      {"f(,)", 1, 3, "expected an expression, found ','"},
      {"f(1,,2)", 1, 5, "expected an expression, found ','"},
      {"f(\n  (1, 2\n", 3, 1, "to close the '(' of line 2, column 3, found the end of the text"},
      {"f(1]", 1, 4, "expected ',' or ')'"},
      {"(f)(x)", 1, 4, "only a name can be called"},
      {"f(x)(y)", 1, 5, "only a name can be called"},
      {"$p(1)", 1, 3, "only a name can be called"},
      {"f((x -> x))", 1, 6, "a lambda stands only as an argument"},
      {"x -> x", 1, 3, "a lambda stands only as an argument"},
      {"[x -> x]", 1, 4, "a lambda stands only as an argument"},
      {"m(x -> y -> y)", 1, 10, "a lambda stands only as an argument"},
      {"m((a, a) -> a)", 1, 7, "'a' stands twice"},
      {"m((a, {b: (a)}) -> a)", 1, 12, "'a' stands twice"},
      {"m({a, a} -> a)", 1, 7, "'a' stands twice"},
      {"m({a, a: b} -> a)", 1, 7, "\"a\" a second time"},
      {"m({if} -> 1)", 1, 4, "not reserved"},
      {"m(true -> 1)", 1, 3, "not reserved, found the reserved word 'true'"},
      {"m((a, 1) -> a)", 1, 7, "expected a pattern"},
      {"m({\"a\"} -> 1)", 1, 7, "a quoted key binds no name"},
      {"m((,) -> 1)", 1, 4, "expected a pattern"},
      {"m(x ->)", 1, 7, "expected an expression, found ')'"},
      {"m(_ -> _)", 1, 8, "it is a pattern"},
  });
}

TEST_CASE("parser: mistakes in expressions") {
  check_mistakes({
      {"a < b < c", 1, 7, "comparisons do not chain"},
      {"a == b != c", 1, 8, "comparisons do not chain"},
      {"a + ", 1, 5, "expected an expression, found the end"},
      {"a == not b", 1, 6, "found the reserved word 'not'; put the part that begins with it in parentheses"},
      {"1 + if c then a else b", 1, 5, "in parentheses"},
      {"not let x = 1 in x", 1, 5, "in parentheses"},
      {"if a then b", 1, 12, "expected 'else'"},
      {"if a | f() then b else c", 1, 6, "a pipeline as a part of an expression stands in parentheses"},
      {"if a then b | f() else c", 1, 13, "stands in parentheses"},
      {"f(let x = 1 x)", 1, 13, "expected 'in', found 'x'"},
      {"f(x [0])", 1, 5, "applies only to what it touches"},
      {"f(x[])", 1, 5, "expected a position"},
      {"x[1,]", 1, 5, "a comma may not end this list"},
      {"x[1:2:3:4]", 1, 8, "expected ',' or ']'"},
      {"x[", 1, 3, "found the end of the text"},
      {"x.", 1, 3, "after '.', found the end"},
      {"x.(1)", 1, 3, "after '.'"},
      {"x.0a", 1, 3, "a number ends before 'a'"},
      {"x.18446744073709551616", 1, 3, "beyond 64 bits"},
      {"newaxis", 1, 1, "only as a position"},
      {"x[newaxis + 1]", 1, 11, "expected ',' or ']'"},
      {"x[... + 1]", 1, 7, "expected ',' or ']'"},
      {"...", 1, 1, "expected an expression, found '...'"},
      {"then", 1, 1, "found the reserved word 'then'"},
      {"{a: 1, \"a\": 2}", 1, 8, "found \"a\" a second time"},
      {"{if}", 1, 4, "this key names no variable"},
      {"{\"a\"}", 1, 5, "this key names no variable"},
      {"{_}", 1, 3, "this key names no variable"},
      {"{1: 2}", 1, 2, "expected a key"},
      {"(,)", 1, 2, "expected an expression, found ','"},
      {"a = b", 1, 3, "expected the end of the text, found '='"},
      {"a ! b", 1, 3, "begins nothing"},
  });
}

TEST_CASE("parser: habits from elsewhere are answered with what to write here") {
  check_mistakes({
      {"range(1) batch(2)", 1, 10, "found 'batch'; a transformation stands behind a '|'"},
      {"range(1).batch(2)", 1, 15, "a transformation is written … | batch(…)"},
      {"tf.data.Dataset.range(1)", 1, 22, "functions have no prefix: write range(…)"},
      {"f(a) b", 1, 6, "expected the end of the text, found 'b'\n"},
      {"f(n=2)", 1, 4, "found '='; ':' stands between a name and its value"},
      {"{n = 2}", 1, 4, "found '='; ':' stands between a name and its value"},
      {"m(x => x)", 1, 5, "found '='; a lambda is written x -> value"},
      {"m(lambda x: x)", 1, 3, "found Python's 'lambda'; a lambda is written x -> x + 1, without the word"},
      {"m(x -> x if c else y)", 1, 10, "a choice is written if c then a else b"},
      {"m(x -> f(x) if c else y)", 1, 13, "a choice is written if c then a else b"},
      {"m(x -> x + if c then a else b)", 1, 12, "put the part that begins with it in parentheses"},
      {"m(x -> x ? 1 : 2)", 1, 10, "found '?'; a choice is written if c then a else b"},
      {"m(x -> x && y)", 1, 10, "for bools write a and b"},
      {"m(x -> !x)", 1, 8, "write not"},
      {"m(x -> x ^ 2)", 1, 10, "write a ** b"},
      {"let a = 1; f(a)", 1, 10, "leave it out"},
  });
}

TEST_CASE("parser: mistakes in literals") {
  check_mistakes({
      {"f(1.)", 1, 3, "digits on both sides"},
      {"f(.5)", 1, 3, "digits on both sides"},
      {"f(10x)", 1, 3, "a number ends before 'x'"},
      {"f(1_000)", 1, 3, "a number ends before '_'"},
      {"f(0x)", 1, 3, "hexadecimal digits"},
      {"f(0xfg)", 1, 3, "a number ends before 'g'"},
      {"f(1e)", 1, 3, "digits of an exponent"},
      {"f(1e+)", 1, 3, "digits of an exponent"},
      {"f(1.0.0)", 1, 3, "a number ends before '.'"},
      {"f(1.5x)", 1, 3, "a number ends before 'x'"},
      {"f(18446744073709551616)", 1, 3, "fits 64 bits"},
      {"f(1e10000)", 1, 3, "an exponent of at most 9999"},
      {"f(\"abc)", 1, 3, "not closed on its line"},
      {"f(\"abc\n\")", 1, 3, "not closed on its line"},
      {"f(\"a\\d\")", 1, 5, "unknown escape"},
      {"f(\"\\", 1, 3, "not closed"},
      {"f($)", 1, 3, "right after '$'"},
      {"f($ a)", 1, 3, "right after '$'"},
      {"f(@)", 1, 3, "right after '@'"},
      {"f(@1a)", 1, 3, "right after '@'"},
  });
}

TEST_CASE("parser: mistakes in specs, dtypes and features") {
  check_mistakes({
      {"cast(x, 5)", 1, 9, "expected the name of a dtype"},
      {"cast(x, flaot32)", 1, 9, "did you mean float32?"},
      {"cast(x, dataset)", 1, 9, "expected the name of a dtype"},
      {"f(dtype: \"int64\")", 1, 10, "expected the name of a dtype"},
      {"empty(5)", 1, 7, "expected an element spec"},
      {"empty(int64 [2])", 1, 13, "applies only to what it touches"},
      {"empty(int64[2,])", 1, 15, "a comma may not end this list"},
      {"empty(int64[-1])", 1, 13, "expected a dimension"},
      {"empty(int64[..., 2])", 1, 16, "expected ']' after '...'"},
      {"empty(int64[1,1,1,1,1,1,1,1,1])", 1, 29, "at most 8 dimensions"},
      {"empty(int64[9223372036854775808])", 1, 13, "fits int64"},
      {"empty({a})", 1, 9, "expected ':' and the spec"},
      {"empty({a: int64, a: int8})", 1, 18, "a second time"},
      {"empty(sparse(int64))", 1, 13, "expected '<'"},
      {"empty(optional<int64)", 1, 21, "expected '>'"},
      {"empty(sparse<(int64,)>)", 1, 14, "expected the name of a dtype"},
      {"parse_example(r, [a])", 1, 18, "expected features"},
      {"parse_example(r, {a})", 1, 20, "expected ':' and the feature"},
      {"parse_example(r, {a: varlne(int64)})", 1, 22, "did you mean varlen?"},
      {"parse_example(r, {a: (int64)})", 1, 22, "expected the name of a dtype"},
      {"parse_example(r, {a: int64, \"a\": int64})", 1, 29, "a second time"},
      {"parse_example(r, {a: varlen(int64, x: 1, x: 2)})", 1, 42, "given twice"},
      {"parse_example(r, {a: varlen(x: 1, int64)})", 1, 35, "positional arguments come first"},
      {"parse_example(r, {a: int64 == 1})", 1, 28, "expected ',' or '}'"},
  });
}

TEST_CASE("parser: a value is any literal, a bare word a string") {
  for (const Grouping& row :
       std::vector<Grouping>{{"5", "5"},
                             {"-5", "-5"},
                             {"1e3", "1000.0"},
                             {"word", "\"word\""},
                             {"if", "\"if\""},
                             {"true", "true"},
                             {"nan", "nan"},
                             {"\"a b\"", "\"a b\""},
                             {"[a, b]", "[\"a\", \"b\"]"},
                             {"{x: [1, 2], y: (3,), z}", "{x: [1, 2], y: (3,), z: \"z\"}"}}) {
    INFO(row.written);
    Result<Tree> tree = parse_value(row.written);
    REQUIRE(tree.ok());
    CHECK(print(*tree->root) == row.grouped);
  }
  for (const char* text : {"", "1 2", "[1", "a b", "x -> x", "\"a"}) {
    INFO(text);
    CHECK(parse_value(text).status().code() == Code::invalid_argument);
  }
}

TEST_CASE("parser: a spec alone") {
  for (const char* text :
       {"int64", "string[?]", "uint8[...]", "(float32[8], int64)", "{image: string, \"a b\": int64}",
        "sparse<int64>[?, 10]", "ragged<int64>[2, ?]", "optional<(int64,)>", "dataset<{}>", "()"}) {
    INFO(text);
    Result<Tree> tree = parse_spec(text);
    REQUIRE(tree.ok());
    CHECK(print(*tree->root) == text);
  }
  for (const char* text : {"", "int64 int64", "int", "5", "(int64", "x"}) {
    INFO(text);
    CHECK(parse_spec(text).status().code() == Code::invalid_argument);
  }
}

}  // namespace
}  // namespace weir::syntax
