#include "core/controls.h"

#include <catch2/catch_test_macros.hpp>

#include "core/status.h"

namespace weir {
namespace {

TEST_CASE("controls: what a terminal would take for a command is shown") {
  CHECK(without_controls("") == "");
  CHECK(without_controls("a \"b\"\n\tc\\ \xc3\xa9\xf0\x9f\x98\x80") ==
        "a \"b\"\n\tc\\ \xc3\xa9\xf0\x9f\x98\x80");
  CHECK(without_controls(std::string_view("a\x1b[2J\0\x7f\r\b", 9)) == "a\\x1b[2J\\x00\\x7f\\r\\x08");
  CHECK(without_controls("\xc2\x9b"
                         "2J \xc2\xa0 \xc2") ==
        "\\xc2\\x9b"
        "2J \xc2\xa0 \xc2");
}

TEST_CASE("controls: an error shows those of file names, and keeps the name") {
  Error error;
  error.code = Code::not_found;
  error.message = std::string("no \x1b[31m", 8) + std::string(1, '\0') + "\nline";
  error.file = "a\x1b]0;b\x07";
  CHECK(error.describe() == "no \\x1b[31m\\x00\\nline (a\\x1b]0;b\\x07)");
  CHECK(error.lead_and_message() == "no \\x1b[31m\\x00\nline");
  CHECK(error.file == "a\x1b]0;b\x07");
}

}  // namespace
}  // namespace weir
