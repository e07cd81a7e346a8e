// What of a text is UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace weir {

// The size of the character that the text begins with; 0 if its first byte begins none.
// REQUIRES: !text.empty()
inline size_t utf8_size(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size > text.size()) return 0;
  for (size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and code points beyond the last.
  if (size == 3 && first == 0xe0 && byte(1) < 0xa0) return 0;
  if (size == 3 && first == 0xed && byte(1) >= 0xa0) return 0;
  if (size == 4 && first == 0xf0 && byte(1) < 0x90) return 0;
  if (size == 4 && first == 0xf4 && byte(1) >= 0x90) return 0;
  return size;
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = utf8_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace weir
