#include "syntax/literal.h"

#include <catch2/catch_test_macros.hpp>
#include <charconv>
#include <string>
#include <vector>

namespace weir::syntax {
namespace {

TEST_CASE("literal: integers up to 64 bits, decimal and hexadecimal") {
  CHECK(read_integer("0") == 0u);
  CHECK(read_integer("007") == 7u);
  CHECK(read_integer("0xfF") == 255u);
  CHECK(read_integer("18446744073709551615") == UINT64_MAX);
  CHECK(read_integer("0xffffffffffffffff") == UINT64_MAX);
  CHECK_FALSE(read_integer("18446744073709551616"));
  CHECK_FALSE(read_integer("0x10000000000000000"));
}

TEST_CASE("literal: floats keep their written value in one form") {
  struct Row {
    const char* written;
    const char* canonical;
  };
  for (const Row& row :
       std::vector<Row>{{"1.0", "1.0"},
                        {"1e0", "1.0"},
                        {"0.1", "0.1"},
                        {"00.10", "0.1"},
                        {"1e5", "100000.0"},
                        {"1E+5", "100000.0"},
                        {"1e-4", "0.0001"},
                        {"1e-5", "1e-05"},
                        {"12.5e-7", "1.25e-06"},
                        {"1e15", "1000000000000000.0"},
                        {"1e16", "1e+16"},
                        {"12345678901234567.0", "1.2345678901234567e+16"},
                        {"123456.789", "123456.789"},
                        {"1e100", "1e+100"},
                        {"0.0", "0.0"},
                        {"0e99999", "0.0"},
                        {"0.30000000000000004440892098500626", "0.30000000000000004440892098500626"},
                        {"1e9999", "1e+9999"},
                        {"1e-9999", "1e-9999"}}) {
    INFO(row.written);
    CHECK(canonical_float(row.written) == row.canonical);
    CHECK(canonical_float(row.canonical) == row.canonical);
  }
  CHECK_FALSE(canonical_float("1e10000"));
  CHECK_FALSE(canonical_float("1e-10000"));
  CHECK_FALSE(canonical_float("1e99999999999999999999"));
  CHECK_FALSE(canonical_float(std::string(20000, '9') + ".0"));
}

TEST_CASE("literal: the canonical form of a float reads back through from_chars") {
  for (const char* written : {"0.1", "1e-7", "123e45", "5e-324", "1.7976931348623157e308"}) {
    double direct = 0;
    double canonical = 0;
    std::string from(written);
    std::from_chars(from.data(), from.data() + from.size(), direct);
    std::string text = *canonical_float(written);
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), canonical);
    CHECK(end == text.data() + text.size());
    CHECK(direct == canonical);
  }
}

TEST_CASE("literal: escapes of strings") {
  CHECK(read_string(R"("")").bytes.empty());
  CHECK(read_string(R"("a\n\t\r\"\\b")").bytes == "a\n\t\r\"\\b");
  CHECK(read_string(R"("\x00\xFf")").bytes == std::string("\0\xff", 2));
  CHECK(read_string(R"("\u{41}\u{e9}\u{20AC}\u{1F600}\u{00010ffff}")").message != "");
  CHECK(read_string(R"("\u{41}\u{e9}\u{20AC}\u{1F600}\u{10ffff}")").bytes ==
        "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
}

TEST_CASE("literal: every character has an escape, and nothing else does") {
  struct Row {
    const char* hex;
    const char* bytes;  // empty: no character
  };
  // Each side of each bound: of one, two, three and four bytes, of the surrogates, of all characters.
  for (const Row& row : std::vector<Row>{{"1", "\x01"},
                                         {"7f", "\x7f"},
                                         {"80", "\xc2\x80"},
                                         {"7ff", "\xdf\xbf"},
                                         {"800", "\xe0\xa0\x80"},
                                         {"d7ff", "\xed\x9f\xbf"},
                                         {"d800", ""},
                                         {"d801", ""},
                                         {"dbff", ""},
                                         {"dc00", ""},
                                         {"dffe", ""},
                                         {"dfff", ""},
                                         {"00DFFF", ""},
                                         {"e000", "\xee\x80\x80"},
                                         {"ffff", "\xef\xbf\xbf"},
                                         {"10000", "\xf0\x90\x80\x80"},
                                         {"10ffff", "\xf4\x8f\xbf\xbf"},
                                         {"110000", ""},
                                         {"ffffff", ""},
                                         {"1000000", ""}}) {
    INFO(row.hex);
    const StringValue value = read_string("\"\\u{" + std::string(row.hex) + "}\"");
    CHECK(value.bytes == row.bytes);
    CHECK(value.message.empty() == (*row.bytes != '\0'));
  }
  CHECK(read_string(R"("\u{0}")").bytes == std::string(1, '\0'));
}

TEST_CASE("literal: a wrong escape says where it begins") {
  struct Row {
    const char* text;
    size_t at;
  };
  for (const Row& row : std::vector<Row>{{R"("\d")", 1},
                                         {R"("ab\x4")", 3},
                                         {R"("\x")", 1},
                                         {R"("\xg0")", 1},
                                         {R"("\u")", 1},
                                         {R"("\u41")", 1},
                                         {R"("\u{}")", 1},
                                         {R"("\u{110000}")", 1},
                                         {R"("\u{d800}")", 1},
                                         {R"("\u{41")", 1},
                                         {R"("\u{0000041}")", 1}}) {
    INFO(row.text);
    StringValue value = read_string(row.text);
    CHECK_FALSE(value.message.empty());
    CHECK(value.bad_at == row.at);
  }
}

}  // namespace
}  // namespace weir::syntax
