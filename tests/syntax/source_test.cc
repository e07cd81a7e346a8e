#include "syntax/source.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace weir::syntax {
namespace {

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
  CHECK(render_with_caret("range(5", {7, 0}, "expected ')'") ==
        "line 1, column 8: expected ')'\nrange(5\n       ^");
  CHECK(render_with_caret("a\nbc | d\n", {4, 1}, "no") == "line 2, column 3: no\nbc | d\n  ^");
  CHECK(render_with_caret("", {0, 0}, "empty") == "line 1, column 1: empty\n\n^");
  CHECK(render_with_caret("a\n", {2, 0}, "end") == "line 2, column 1: end\n\n^");
}

TEST_CASE("source: characters of several bytes and tabs keep the caret in place") {
  CHECK(render_with_caret("\"\xc3\xa9\" x", {5, 1}, "m") == "line 1, column 5: m\n\"\xc3\xa9\" x\n    ^");
  CHECK(render_with_caret("\tx", {1, 1}, "m") == "line 1, column 2: m\n\tx\n\t^");
  CHECK(render_with_caret("a\rb", {2, 1}, "m") == "line 1, column 3: m\na b\n  ^");
}

TEST_CASE("source: of a long line only the part around the caret is shown") {
  std::string line(100000, 'a');
  line[50000] = 'X';
  std::string text = render_with_caret(line, {50000, 1}, "m");
  CHECK(text.size() < 400);
  size_t shown = text.find('\n') + 1;
  size_t under = text.find('\n', shown) + 1;
  CHECK(text[shown + (text.find('^') - under)] == 'X');
  CHECK(text.substr(shown, 4) == "...a");

  std::string accents;
  for (int i = 0; i < 1000; ++i) accents += "\xc3\xa9";
  for (uint32_t offset = 990; offset < 1000; ++offset) {
    CHECK(render_with_caret(accents, {offset, 1}, "m").size() < 400);
  }
  CHECK(render_with_caret(line, {0, 1}, "m").find("\naaa") != std::string::npos);
  CHECK(render_with_caret(line, {100000, 0}, "m").ends_with('^'));
}

TEST_CASE("source: an error at a place is an invalid argument") {
  Status status = error_at("x", {0, 1}, "m");
  CHECK(status.code() == Code::invalid_argument);
  CHECK(status.error().message == "line 1, column 1: m\nx\n^");
}

}  // namespace
}  // namespace weir::syntax
