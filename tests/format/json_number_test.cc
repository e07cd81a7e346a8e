#include "format/json/json_number.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace weir {
namespace {

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Whether the quick way reads what the general one does, or leaves it to it.
template <class T>
bool agree(const std::string& number) {
  const std::string text = number + ",        ";
  T quick{};
  T general{};
  const std::string_view view(text.data(), number.size());
  if (!read_short(view, text.data() + text.size(), quick)) return true;
  return read_number(view, general) && same(quick, general);
}

bool all_agree(const std::string& number) {
  return agree<double>(number) && agree<float>(number) && agree<int64_t>(number) && agree<uint64_t>(number) &&
         agree<int8_t>(number) && agree<uint16_t>(number);
}

TEST_CASE("JSON: short numbers are read as long ones are") {
  std::mt19937 random(7);
  std::string wrong;
  for (int i = 0; i < 300000; ++i) {
    std::string number = random() % 3 == 0 ? "-" : "";
    const size_t size = 1 + random() % 9;
    // Mostly digits, and what comes before and after them among the bytes.
    for (size_t at = 0; at < size; ++at)
      number += random() % 12 == 0 ? "./:e-0\xf0"[random() % 7] : static_cast<char>('0' + random() % 10);
    if (random() % 2 == 0) number[number.size() / 2] = '.';
    if (!all_agree(number)) wrong = number;
  }
  CHECK(wrong == "");
}

template <class T>
bool reads(const std::string& text) {
  T value{};
  return read_number(std::string_view(text), value);
}

TEST_CASE("JSON: floats are read from numbers, and from nothing else") {
  std::mt19937 random(11);
  std::vector<std::string> texts = {"inf",   "nan",   "-inf",    "infinity", "-nan",
                                    "0x1p3", "1e400", "-1e-400", "1_0"};
  for (int i = 0; i < 300000; ++i) {
    std::string& text = texts.emplace_back();
    for (size_t size = 1 + random() % 8; size > 0; --size) text += "0123456789.eE+-.0e"[random() % 18];
  }
  size_t numbers = 0;
  std::string wrong;
  for (const std::string& text : texts) {
    const bool number = is_number(text);
    numbers += number ? 1 : 0;
    const bool same = reads<double>(text) == number && reads<float>(text) == number &&
                      reads<Float16>(text) == number && reads<BFloat16>(text) == number;
    if (!same) wrong = text;
  }
  CHECK(wrong == "");
  CHECK(numbers > 1000);
  CHECK(numbers < 200000);
}

TEST_CASE("JSON: which numbers are short") {
  const auto is_short = [](const std::string& number, size_t readable = 9) {
    const std::string text = number + std::string(20, ' ');
    ShortNumber out;
    return scan_short({text.data(), number.size()}, text.data() + readable, out);
  };
  for (const char* number :
       {"0", "-7", "12345678", "-12345678", "0.5", "-0.25", "1234567.", "123456.7", "1.234567"}) {
    INFO(number);
    CHECK(is_short(number) == (std::string_view(number).back() != '.'));
  }
  for (const char* number :
       {"", "-", "123456789", "01", "-00.5", ".5", "5.", "1.2.3", "1e3", "+1", "--1", "1-",
        "\xf1"
        "1"}) {
    INFO(number);
    CHECK_FALSE((number[0] != 0 && is_short(number)));
  }
  // All eight bytes can be read, or one of them can't.
  CHECK(is_short("1", 8));
  CHECK_FALSE(is_short("1", 7));
}

}  // namespace
}  // namespace weir
