#include "format/json/json_string.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace weir {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

// The four hexadecimal digits at `at`, or kNone.
uint32_t hexadecimal(std::string_view text, size_t at) {
  if (text.size() - at < 4) return kNone;
  uint32_t out = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const char c = text[i];
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      out = out << 4 | static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      out = out << 4 | static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return kNone;
    }
  }
  return out;
}

char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

size_t put_utf8(uint32_t point, char* out) {
  const auto byte = [&](int shift, uint32_t head, uint32_t mask) {
    *out++ = static_cast<char>(head | ((point >> shift) & mask));
  };
  if (point < 0x80) {
    byte(0, 0, 0x7f);
    return 1;
  }
  if (point < 0x800) {
    byte(6, 0xc0, 0x1f);
    byte(0, 0x80, 0x3f);
    return 2;
  }
  if (point < 0x10000) {
    byte(12, 0xe0, 0x0f);
    byte(6, 0x80, 0x3f);
    byte(0, 0x80, 0x3f);
    return 3;
  }
  byte(18, 0xf0, 0x07);
  byte(12, 0x80, 0x3f);
  byte(6, 0x80, 0x3f);
  byte(0, 0x80, 0x3f);
  return 4;
}

// Goes from escape to escape: `plain` takes what lies between them, `point` each character that one means.
template <class Plain, class Point>
JsonEscapes walk(std::string_view text, Plain plain, Point point) {
  JsonEscapes out = JsonEscapes::good;
  size_t at = 0;
  while (at < text.size()) {
    const size_t escape = std::min(text.find('\\', at), text.size());
    plain(text.substr(at, escape - at));
    at = escape + 2;
    if (escape == text.size()) break;
    if (at > text.size()) return JsonEscapes::wrong;
    const char kind = text[escape + 1];
    if (kind != 'u') {
      const char meant = simple_escape(kind);
      if (meant == 0) return JsonEscapes::wrong;
      point(static_cast<uint32_t>(meant));
      continue;
    }
    uint32_t unit = hexadecimal(text, at);
    if (unit == kNone) return JsonEscapes::wrong;
    at += 4;
    const bool high = unit >= 0xd800 && unit < 0xdc00;
    if (high && text.substr(at).starts_with("\\u")) {
      const uint32_t low = hexadecimal(text, at + 2);
      if (low >= 0xdc00 && low < 0xe000) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        at += 6;
      }
    }
    if (unit >= 0xd800 && unit < 0xe000) {
      out = JsonEscapes::lone_surrogate;
    } else {
      point(unit);
    }
  }
  return out;
}

}  // namespace

JsonEscapes check_escapes(std::string_view text) {
  return walk(
      text, [](std::string_view) {}, [](uint32_t) {});
}

JsonEscapes unescape(std::string_view text, char* out, size_t& size) {
  char* at = out;
  const JsonEscapes escapes = walk(
      text,
      [&](std::string_view plain) {
        std::memcpy(at, plain.data(), plain.size());
        at += plain.size();
      },
      [&](uint32_t point) { at += put_utf8(point, at); });
  size = static_cast<size_t>(at - out);
  return escapes;
}

}  // namespace weir
