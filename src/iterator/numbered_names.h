// Names of files with numbers in them, which sort as the numbers do.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

// At least that many digits.
inline std::string padded(uint64_t number, size_t digits) {
  std::string text = std::to_string(number);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

// Takes a number and the text after it off the front. False if they are not there.
template <class Number>
bool take_number(std::string_view& text, Number& number, std::string_view after) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  if (!text.starts_with(after)) return false;
  text.remove_prefix(after.size());
  return true;
}

}  // namespace weir
