#include "syntax/source.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace weir::syntax {
namespace {

std::string rendered_at(std::string_view source, Span span, const char* message) {
  return render(error_at(span, message), source).error().message;
}

TEST_CASE("source: places count lines and characters from one") {
  const std::string text = "ab\n\xc3\xa9x\n";
  struct Row {
    size_t offset;
    int line, column;
  };
  for (const Row& row :
       {Row{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {3, 2, 1}, {5, 2, 2}, {6, 2, 3}, {7, 3, 1}, {99, 3, 1}}) {
    INFO(row.offset);
    Location location = locate(text, row.offset);
    CHECK(location.line == row.line);
    CHECK(location.column == row.column);
  }
  CHECK(locate("", 0).line == 1);
  CHECK(locate("", 0).column == 1);
}

TEST_CASE("source: the caret stands under the first character") {
  CHECK(rendered_at("range(5", {7, 0}, "expected ')'") ==
        "line 1, column 8: expected ')'\nrange(5\n       ^");
  CHECK(rendered_at("a\nbc | d\n", {4, 1}, "no") == "line 2, column 3: no\nbc | d\n  ^");
  CHECK(rendered_at("", {0, 0}, "empty") == "line 1, column 1: empty\n\n^");
  CHECK(rendered_at("a\n", {2, 0}, "end") == "line 2, column 1: end\n\n^");
}

TEST_CASE("source: characters of several bytes and tabs keep the caret in place") {
  CHECK(rendered_at("\"\xc3\xa9\" x", {5, 1}, "m") == "line 1, column 5: m\n\"\xc3\xa9\" x\n    ^");
  CHECK(rendered_at("\tx", {1, 1}, "m") == "line 1, column 2: m\n\tx\n\t^");
  CHECK(rendered_at("a\rb", {2, 1}, "m") == "line 1, column 3: m\na b\n  ^");
}

TEST_CASE("source: of a long line only the part around the caret is shown") {
  std::string line(100000, 'a');
  line[50000] = 'X';
  std::string text = rendered_at(line, {50000, 1}, "m");
  CHECK(text.size() < 400);
  size_t shown = text.find('\n') + 1;
  size_t under = text.find('\n', shown) + 1;
  CHECK(text[shown + (text.find('^') - under)] == 'X');
  CHECK(text.substr(shown, 4) == "...a");

  std::string accents;
  for (int i = 0; i < 1000; ++i) accents += "\xc3\xa9";
  for (uint32_t offset = 990; offset < 1000; ++offset) {
    CHECK(rendered_at(accents, {offset, 1}, "m").size() < 400);
  }
  CHECK(rendered_at(line, {0, 1}, "m").find("\naaa") != std::string::npos);
  CHECK(rendered_at(line, {100000, 0}, "m").ends_with('^'));
}

TEST_CASE("source: an error at a place is an invalid argument, and rendered once") {
  Status status = error_at({2, 1}, expected_found("m", "n", "write m"));
  CHECK(status.code() == Code::invalid_argument);
  CHECK(status.error().message == "expected m, found n; write m");
  Status rendered = render(with_operator(status, "take", "n"), "x y");
  CHECK(rendered.error().message == "line 1, column 3: take: n: expected m, found n; write m\nx y\n  ^");
  CHECK(render(rendered, "other").error().message == rendered.error().message);
  CHECK(rendered.error().parts.mistake.hint == "write m");
}

TEST_CASE("source: all mistakes are shown, in the order of the text, up to ten") {
  Status status;
  for (uint32_t at = 12; at-- > 0;)
    status = both(status, error_at({at, 1}, std::string(1, static_cast<char>('a' + at))));
  Status rendered = render(status, "0123456789abcdef");
  const std::string& message = rendered.error().message;
  CHECK(message.starts_with("line 1, column 1: a\n0123"));
  CHECK(message.find("line 1, column 10: j\n") != std::string::npos);
  CHECK(message.find("column 11") == std::string::npos);
  CHECK(message.ends_with("\n… and 2 more"));
}

TEST_CASE("source: what only follows from another mistake is left out, and twice the same is once") {
  Status real = error_at({4, 2}, "no such name");
  Status follows = as_consequence(error_at({0, 1}, "was not built"));
  Status status = both(both(follows, real), real);
  CHECK(render(status, "a\nb cd").error().message == "line 2, column 3: no such name\nb cd\n  ^");
  CHECK(render(follows, "a").error().message == "line 1, column 1: was not built\na\n^");
}

TEST_CASE("source: mistakes as JSON have their parts and their place") {
  CHECK(mistakes_json(Status(), "x") == "[]");
  Status status = with_operator(error_at({3, 2}, expected_found("a \"q\"", "b\tc", "do")), "take", "n");
  CHECK(mistakes_json(status, "x\n\xc3\xa9zw") ==
        R"([
  {"code": "invalid_argument", "message": "expected a \"q\", found b\u0009c; do", "operator": "take", "parameter": "n", "expected": "a \"q\"", "found": "b\u0009c", "hint": "do", "span": {"offset": 3, "size": 2, "line": 2, "column": 2, "end_line": 2, "end_column": 3}}
])");
  CHECK(mistakes_json(not_found({"no \"https://u:pw@h/a?k=s\""}), "x") ==
        R"([
  {"code": "not_found", "message": "no \"https://****@h/a?***\""}
])");
}

}  // namespace
}  // namespace weir::syntax
