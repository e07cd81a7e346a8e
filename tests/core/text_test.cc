#include "core/text.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/credentials.h"

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
                           "x://a:b@c/?d", "http://h/?", "https://h/a?, in map", "http://[::1]/x@y",
                           "http://h:80/x@y is a=b", "\"http://h/a?\" | filter(x -> x == 1)"})
    CHECK(without_credentials(text) == text);
}

TEST_CASE("text: credentials are covered whatever characters a URL has, rather more than less") {
  struct {
    const char* text;
    const char* covered;
  } const rows[] = {
      {"HTTP://u:pw@h/a?s=1", "HTTP://****@h/a?***"},
      {"f(\"http://h/a(1)<b>'c d.csv?s=1 2'3\") | map(x -> x == 1)",
       "f(\"http://h/a(1)<b>'c d.csv?*******\") | map(x -> x == 1)"},
      {"\"http://h/a\\\"b?s=1\\\"2\" == 3", "\"http://h/a\\\"b?******\" == 3"},
      {"\"http://h/never ends?s=1 2", "\"http://h/never ends?*** 2"},
      {"http://h/a(1).csv?s=1: 403", "http://h/a(1).csv?***: 403"},
      {"http://h/it's b.csv?s=1: 403, x\ny=2", "http://h/it's b.csv?***: 403, x\ny=2"},
      {"at http://h/a?x=1 2&s=3 now", "at http://h/a?*** ***** now"},
      {"http://u:p/w#d@h/a", "http://*******@h/a"},
      {"http://u:p w@h/a", "http://*****@h/a"},
  };
  for (const auto& row : rows) CHECK(without_credentials(row.text) == row.covered);
  for (const char* file : {"http://h/a?s=1", "https://h/a b\"c'd)\n\xfc?s=1 2\"3'4,", "Http://u:p q\"@h/a?",
                           "http://u:p?/#w@h/a", "http://u@h/?s=1."}) {
    const std::string name(file);
    const std::string covered = without_credentials(name, name);
    CHECK(covered.size() == name.size());
    CHECK(covered.find_first_of("1234pqw", 5) == std::string::npos);
    CHECK(without_credentials(name + ": 403, x", name) == covered + ": 403, x");
    CHECK(without_credentials("at " + quote(name) + ": 403, x", name) == "at " + quote(covered) + ": 403, x");
    CHECK(without_credentials(json_string(name) + " x", name) == json_string(covered) + " x");
  }
  CHECK(without_credentials("s3://b/k?x", "s3://b/k?x") == "s3://b/k?x");
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
