#include "syntax/printer.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "syntax/notation.h"

namespace weir::syntax {
namespace {

struct Row {
  const char* written;
  const char* canonical;
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.written);
    CHECK(canonical(row.written) == row.canonical);
    check_fixpoint(row.written);
  }
}

TEST_CASE("printer: one line a statement, single spaces") {
  check_rows({
      {"range( 5 )|map( x->x*2 )", "range(5) | map(x -> x * 2)"},
      {"# a comment\nrange(5) # another\n  | take(2)\n", "range(5) | take(2)"},
      {"param n:int64[2,?] param m:{a:string,} let d=range($n)|take(1) d",
       "param n: int64[2, ?]\nparam m: {a: string}\nlet d = range($n) | take(1)\nd"},
      {"f(x, y,)", "f(x, y)"},
      {"f(a:1,b :2)", "f(a: 1, b: 2)"},
      {"f( @g, @1 )", "f(@g, @1)"},
  });
}

TEST_CASE("printer: literals in their canonical form") {
  check_rows({
      {"f(0xff, 1e5, 1.50, true, none, auto, inf, nan)", "f(255, 100000.0, 1.5, true, none, auto, inf, nan)"},
      {"f(\"\u00e9\\u{41}\\x0a\\\"\")", "f(\"\\xc3\\xa9A\\n\\\"\")"},
      {"f([1,2,], (), (1,), (1,2,), {}, {a:1,})", "f([1, 2], (), (1,), (1, 2), {}, {a: 1})"},
      {"f({a: a, b, \"c d\": 1, \"e\": 2, if: 3, _: 4})", "f({a, b, \"c d\": 1, e: 2, if: 3, _: 4})"},
      {"f(x.\"a b\", x.\"c\", x.if, x.0.1)", "f(x.\"a b\", x.c, x.if, x.0.1)"},
  });
}

TEST_CASE("printer: lambdas and patterns") {
  check_rows({
      {"m((x)->x)", "m(x -> x)"},
      {"m((x,)->x)", "m((x,) -> x)"},
      {"m(()->1)", "m(() -> 1)"},
      {"m(({a:a,b:_,\"c/d\":(e,f),if:g,},_)->a|t())", "m(({a, b: _, \"c/d\": (e, f), if: g}, _) -> a | t())"},
      {"m({}->1)", "m({} -> 1)"},
      {"m({a,b:_, ...  rest,}->rest)", "m({a, b: _, ...rest} -> rest)"},
      {"m({...all}->all)", "m({...all} -> all)"},
      {"f({... e})", "f({...e})"},
      {"f({a:1,...e.\"b c\",...{},a2})", "f({a: 1, ...e.\"b c\", ...{}, a2})"},
      {"f({...(a|b()),...if c then d else e,...(let x=1 in {x})})",
       "f({...a | b(), ...if c then d else e, ...let x = 1 in {x}})"},
      {"m(_->1)", "m(_ -> 1)"},
  });
}

TEST_CASE("printer: pipelines flatten and stand in parentheses as operands") {
  check_rows({
      {"(a|b())|c()", "a | b() | c()"},
      {"f((a|b()))", "f(a | b())"},
      {"f([(a|b())], x[(a|b())])", "f([a | b()], x[a | b()])"},
      {"(a|b())+1", "(a | b()) + 1"},
      {"-(a|b())", "-(a | b())"},
      {"(a|b()).c", "(a | b()).c"},
      {"f(if c then (a|b()) else d)", "f(if c then (a | b()) else d)"},
      {"if c then a else b|t()", "if c then a else b | t()"},
      {"(if c then a else b)|t()", "if c then a else b | t()"},
      {"let n = 2 in (range(n)|t())", "let n = 2 in (range(n) | t())"},
      {"let n = 2 in range(n)|t()", "let n = 2 in range(n) | t()"},
  });
}

TEST_CASE("printer: a number in parentheses keeps them before a point") {
  check_rows({{"(5).a", "(5).a"}, {"(1.5).0", "(1.5).0"}, {"(5)[0]", "5[0]"}, {"(0xff).a.b", "(255).a.b"}});
}

TEST_CASE("printer: a pipeline that begins with a minus does not continue the let before it") {
  check_rows({{"let a = b (-c)", "let a = b\n(-c)"},
              {"let a = b (-c | f())", "let a = b\n(-c | f())"},
              {"let a = b (-c) | f()", "let a = b\n(-c | f())"},
              {"let a = b - c d", "let a = b - c\nd"},
              {"-c", "-c"}});
}

TEST_CASE("printer: specs and features") {
  check_rows({
      {"empty(int64[])", "empty(int64)"},
      {"empty(({a:uint8[...],\"b c\":sparse<int64>[?,10],},))",
       "empty(({a: uint8[...], \"b c\": sparse<int64>[?, 10]},))"},
      {"empty((int64))", "empty(int64)"},
      {"empty(())", "empty(())"},
      {"empty(optional<dataset<ragged<string>[2,?]>>)", "empty(optional<dataset<ragged<string>[2, ?]>>)"},
      {"parse_example(r,{a:float32[2]=[0.5,-0.5],\"b\":varlen(int64),c:sequence(int64,allow_missing:true)=-1})",
       "parse_example(r, {a: float32[2] = [0.5, -0.5], b: varlen(int64), c: sequence(int64, allow_missing: true) = -1})"},
      {"parse_example(r,features:{x:sparse(index_key:\"i\",value_key:\"v\",dtype:float32,size:100)})",
       "parse_example(r, features: {x: sparse(index_key: \"i\", value_key: \"v\", dtype: float32, size: 100)})"},
  });
}

TEST_CASE("printer: keys are quoted where they are no identifiers") {
  CHECK(print_key("image") == "image");
  CHECK(print_key("_") == "_");
  CHECK(print_key("if") == "if");
  CHECK(print_key("user/id") == "\"user/id\"");
  CHECK(print_key("0a") == "\"0a\"");
  CHECK(print_key("") == "\"\"");
}

}  // namespace
}  // namespace weir::syntax
