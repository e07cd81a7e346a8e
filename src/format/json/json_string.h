// Strings as JSON writes them, between their quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir {

enum class JsonEscapes : uint8_t {
  good,
  lone_surrogate,  // valid JSON, but no text
  wrong,
};

// What the escapes are.
JsonEscapes check_escapes(std::string_view text);
// Writes the text with its escapes replaced and sets `size`; at most as many bytes as `text` has.
JsonEscapes unescape(std::string_view text, char* out, size_t& size);

}  // namespace weir
