// Functions of a document, written out where they are called.
#include "syntax/functions.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "notation.h"

namespace weir::syntax {
namespace {

std::string written(const char* text) {
  Result<Tree> tree = parse_document(text, notation());
  INFO(text);
  REQUIRE(tree.ok());
  Result<NodePtr> root = write_out_functions(tree->root);
  if (!root.ok()) return render(root.status(), text).error().message;
  return print(**root);
}

// The text as printed when the calls are written out by hand.
void check_written(const char* text, const char* by_hand) {
  INFO(text);
  CHECK(written(text) == written(by_hand));
}

TEST_CASE("functions: a call is the body with its arguments") {
  check_written("let half = x -> x / 2  range(4) | map(y -> half(y))", "range(4) | map(y -> y / 2)");
  check_written("let half = x -> x / 2  range(4) | map(y -> half(y + 1) * half(x: 3))",
                "range(4) | map(y -> (y + 1) / 2 * (3 / 2))");
  check_written("let f = (a, b) -> a - b  range(4) | map(y -> f(y, 1) + f(b: y, a: 2))",
                "range(4) | map(y -> (y - 1) + (2 - y))");
  check_written("let f = (a, {k, v: (w, _)}) -> a + k + w  range(4) | map(d -> f(1, d))",
                "range(4) | map(d -> 1 + d.k + d.v.0)");
  check_written("let f = ({k, v, ...r}) -> {...r, k}  range(4) | map(d -> f(d))",
                "range(4) | map(d -> {...without(d, [\"k\", \"v\"]), k: d.k})");
  check_written("let r = 1  let f = x -> {...x, r}  range(4) | map({a, ...r} -> f(r))",
                "let r = 1  range(4) | map({a, ...r_2} -> {...r_2, r})");
  check_written("let half = x -> x / 2  range(4) | map(half)", "range(4) | map(x -> x / 2)");
}

TEST_CASE("functions: after a pipe the dataset is the first argument") {
  check_written("let prepare = (d, n) -> d | map(x -> x * x) | batch(n)  range(10) | prepare(4) | take(1)",
                "range(10) | map(x -> x * x) | batch(4) | take(1)");
  check_written("let total = d -> d | reduce(0, (s, x) -> s + x)  range(10) | skip(1) | total()",
                "range(10) | skip(1) | reduce(0, (s, x) -> s + x)");
  check_written("let pairs = d -> zip(d, d)  range(10) | pairs()", "let d_2 = range(10) in zip(d_2, d_2)");
}

TEST_CASE("functions: what is used twice is computed once") {
  check_written("let square = x -> x * x  range(4) | map(y -> square(y))", "range(4) | map(y -> y * y)");
  check_written("let square = x -> x * x  range(4) | map(y -> square(y + 1))",
                "range(4) | map(y -> let x_2 = y + 1 in x_2 * x_2)");
  // A lambda uses it for each element.
  check_written("let f = x -> g(z -> z + x)  range(4) | map(y -> f(y + 1))",
                "range(4) | map(y -> let x_2 = y + 1 in g(z -> z + x_2))");
}

TEST_CASE("functions: an argument is evaluated whether it is used or not") {
  check_written("let f = x -> 5  range(4) | map(y -> f(1 / y))", "range(4) | map(y -> let x_2 = 1 / y in 5)");
  check_written("let f = x -> 5  range(4) | map(y -> f(y))", "range(4) | map(y -> 5)");
  check_written("let f = (c, x) -> if c then 0 else x  range(4) | map(y -> f(y == 0, 1 / y))",
                "range(4) | map(y -> let x_2 = 1 / y in if y == 0 then 0 else x_2)");
  check_written("let f = (c, x) -> if c then 0 else x  range(4) | map(y -> f(1 / y == 0, 2))",
                "range(4) | map(y -> if 1 / y == 0 then 0 else 2)");
}

TEST_CASE("functions: names keep their meaning") {
  // An argument's.
  check_written("let add = a -> (range(3) | map(x -> x + a))  range(4) | flat_map(x -> add(x))",
                "range(4) | flat_map(x -> range(3) | map(x_2 -> x_2 + x))");
  check_written("let add = a -> let x = 1 in x + a  range(4) | map(x -> add(x))",
                "range(4) | map(x -> let x_2 = 1 in x_2 + x)");
  // A body's.
  check_written("let k = 2  let f = x -> x * k  range(4) | map(k -> f(k))",
                "let k = 2  range(4) | map(k_2 -> k_2 * k)");
  check_written("let k = 2  let f = x -> x * k  let k = 3  range(4) | map(y -> f(y) + k)",
                "let k = 2  let k_2 = 3  range(4) | map(y -> y * k + k_2)");
  // An inner name hides a function.
  CHECK(written("let f = x -> x  range(4) | map(f -> f)") == written("range(4) | map(f -> f)"));
}

TEST_CASE("functions: they use those above them, and not themselves") {
  check_written("let f = x -> x + 1  let g = x -> f(x) * 2  range(4) | map(y -> g(y))",
                "range(4) | map(y -> (y + 1) * 2)");
  check_written("let f = x -> f(x)  range(4) | map(y -> f(y))", "range(4) | map(y -> f(y))");
  check_written("let f = x -> x + 1  let f = x -> f(x) * 2  range(4) | map(y -> f(y))",
                "range(4) | map(y -> (y + 1) * 2)");
}

TEST_CASE("functions: calls that do not fit are mistakes, all of them") {
  const std::string message =
      written("let f = (a, b) -> a  range(4) | map(y -> f(y) + f(1, 2, 3) + f(c: 1))");
  CHECK(message.find("expected 2 arguments for f, a function of this document, found 1") !=
        std::string::npos);
  CHECK(message.find("found 3") != std::string::npos);
  CHECK(message.find("line 1, column 42: ") != std::string::npos);
  CHECK(message.find("line 1, column 49: ") != std::string::npos);
  CHECK(written("let f = x -> x  range(4) | map(y -> y + f)").find("f is a function; call it, as in f(…)") !=
        std::string::npos);
}

TEST_CASE("functions: a text that doubles with each line is refused") {
  std::string text = "let f0 = x -> g(x, x)";
  for (int i = 1; i < 40; ++i)
    text += "  let f" + std::to_string(i) + " = x -> f" + std::to_string(i - 1) + "(f" +
            std::to_string(i - 1) + "(x))";
  text += "  range(4) | map(y -> f39(y))";
  CHECK(written(text.c_str()).find("functions that write out to at most") != std::string::npos);
}

}  // namespace
}  // namespace weir::syntax
