#include "core/controls.h"

namespace weir {

std::string without_controls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto escape = [&](unsigned char byte) {
    constexpr char kHex[] = "0123456789abcdef";
    out += "\\x";
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == '\r') {
      out += "\\r";
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
      escape(byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      // The other control characters of Unicode, among them another way to begin an escape sequence.
      escape(byte);
      escape(next);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace weir
