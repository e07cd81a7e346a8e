#include "core/text.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {
namespace {

TEST_CASE("text: concat joins strings, characters and integers") {
  CHECK(concat() == "");
  CHECK(concat("expected ", 3, " rows, found ", int64_t{-4}, '.', std::string("!")) ==
        "expected 3 rows, found -4.!");
  CHECK(concat(uint64_t{18446744073709551615u}) == "18446744073709551615");
}

TEST_CASE("text: quote escapes what is not printable ASCII") {
  CHECK(quote("") == "\"\"");
  CHECK(quote("plain text~") == "\"plain text~\"");
  CHECK(quote("\n\t\r\"\\") == R"("\n\t\r\"\\")");
  CHECK(quote(std::string_view("\0\x1f\x7f\xff", 4)) == R"("\x00\x1f\x7f\xff")");
  CHECK(quote("\u00e9") == R"("\xc3\xa9")");
}

TEST_CASE("text: json_string is UTF-8, whatever the bytes are") {
  CHECK(json_string("a\n\t\"\\\u00e9") == "\"a\\n\\u0009\\\"\\\\\u00e9\"");
  CHECK(json_string("a\xff\xc3") == R"("a\ufffd\ufffd")");
  CHECK(json_string("\xed\xa0\x80") == R"("\ufffd\ufffd\ufffd")");
}

TEST_CASE("text: edit distance counts insertions, removals and replacements") {
  struct Row {
    std::string_view a, b;
    int distance;
  };
  for (const Row& row : std::vector<Row>{{"", "", 0},
                                         {"", "abc", 3},
                                         {"abc", "", 3},
                                         {"shuffle", "shuffle", 0},
                                         {"shufle", "shuffle", 1},
                                         {"kitten", "sitting", 3},
                                         {"ab", "ba", 2}}) {
    INFO(row.a << " " << row.b);
    CHECK(edit_distance(row.a, row.b) == row.distance);
    CHECK(edit_distance(row.b, row.a) == row.distance);
  }
}

TEST_CASE("text: credentials in URLs are covered, and nothing else is") {
  CHECK(without_credentials("(http://bob:pw@h:1/a.txt?X-Sig=Q, in text_line)") ==
        "(http://******@h:1/a.txt?*******, in text_line)");
  CHECK(without_credentials("cannot read \"https://u@h?q=1&r=2\": 404; try https://h/b?c.") ==
        "cannot read \"https://*@h?*******\": 404; try https://h/b?*.");
  CHECK(without_credentials("http://a@b@h/x@y") == "http://***@h/x@y");
  for (const char* text : {"", "http://", "http://h/a.txt", "s3://b/k?x", "ask bob@h, who?", "://a@b",
                           "x://a:b@c/?d", "http://h/?", "https://h/a?, in map"})
    CHECK(without_credentials(text) == text);
}

TEST_CASE("text: very long names are compared in constant time") {
  std::string huge(1 << 20, 'a');
  CHECK(edit_distance(huge, huge) == 0);
  CHECK(edit_distance(huge, "a") == 1 << 20);
  CHECK(nearest(huge, std::vector<std::string>{"a", "b"}).empty());
}

TEST_CASE("text: nearest finds the name that was meant, or none") {
  std::vector<std::string_view> names = {"map", "filter", "shuffle", "batch"};
  CHECK(nearest("shufle", names) == "shuffle");
  CHECK(nearest("bacth", names) == "batch");
  CHECK(nearest("mop", names) == "map");
  CHECK(nearest("interleave", names).empty());
  CHECK(nearest("map", std::vector<std::string>{}).empty());
  // Of one letter or two nothing would be left.
  CHECK(nearest("u", std::vector<std::string>{"a", "uv"}).empty());
  CHECK(nearest("pp", std::vector<std::string>{"p", "pq"}).empty());
  CHECK(nearest("qp", std::vector<std::string>{"p", "pq"}) == "pq");
}

}  // namespace
}  // namespace weir
