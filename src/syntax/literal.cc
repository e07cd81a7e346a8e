#include "syntax/literal.h"

#include <algorithm>
#include <charconv>

#include "core/text.h"

namespace weir::syntax {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, uint32_t point) {
  auto put = [&out](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | point >> 6);
    put(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    put(0xe0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  } else {
    put(0xf0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3f));
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  }
}

// `digits` is d.ddd… times ten to the power `exponent`; laid out like Python's repr of a float.
std::string lay_out(std::string_view digits, int64_t exponent) {
  auto count = static_cast<int64_t>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    std::string_view rest = digits.substr(1);
    int64_t size = exponent < 0 ? -exponent : exponent;
    return concat(digits[0], rest.empty() ? "" : ".", rest, exponent < 0 ? "e-" : "e+", size < 10 ? "0" : "",
                  size);
  }
  if (exponent < 0) return concat("0.", std::string(static_cast<size_t>(-exponent - 1), '0'), digits);
  auto whole = static_cast<size_t>(exponent + 1);
  if (exponent + 1 >= count) return concat(digits, std::string(whole - digits.size(), '0'), ".0");
  return concat(digits.substr(0, whole), ".", digits.substr(whole));
}

// Reads \u{HEX} from its `{` on; moves `at` past the `}`.
bool read_unicode(std::string_view text, size_t& at, std::string& out) {
  if (at >= text.size() || text[at] != '{') return false;
  ++at;
  uint32_t point = 0;
  int count = 0;
  for (; at < text.size() && hex_value(text[at]) >= 0; ++at, ++count) {
    if (count >= 6) return false;
    point = point * 16 + static_cast<uint32_t>(hex_value(text[at]));
  }
  bool surrogate = point >= 0xd800 && point <= 0xdfff;
  if (count == 0 || at >= text.size() || text[at] != '}' || point > 0x10ffff || surrogate) return false;
  ++at;
  append_utf8(out, point);
  return true;
}

}  // namespace

std::optional<uint64_t> read_integer(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> canonical_float(std::string_view text) {
  size_t mark = std::min(text.find_first_of("eE"), text.size());
  std::string_view significand = text.substr(0, mark);
  int64_t exponent = 0;
  if (mark < text.size()) {
    bool negative = text[mark + 1] == '-';
    for (char c : text.substr(mark + 1)) {
      if (c >= '0' && c <= '9') exponent = std::min<int64_t>(exponent * 10 + (c - '0'), int64_t{1} << 40);
    }
    if (negative) exponent = -exponent;
  }
  size_t point = std::min(significand.find('.'), significand.size());
  std::string digits(significand.substr(0, point));
  if (point < significand.size()) digits.append(significand.substr(point + 1));
  size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, zeros);
  if (digits.empty()) return "0.0";
  digits.erase(digits.find_last_not_of('0') + 1);
  exponent += static_cast<int64_t>(point) - static_cast<int64_t>(zeros) - 1;
  if (exponent > kMaxExponent || exponent < -kMaxExponent) return std::nullopt;
  return lay_out(digits, exponent);
}

StringValue read_string(std::string_view text) {
  StringValue value;
  auto fail = [&value](size_t at, std::string message) {
    value.bad_at = at;
    value.message = std::move(message);
    return value;
  };
  size_t end = text.size() - 1;
  for (size_t at = 1; at < end;) {
    if (text[at] != '\\') {
      value.bytes += text[at++];
      continue;
    }
    size_t begin = at;
    char c = text[at + 1];
    at += 2;
    switch (c) {
      case 'n':
        value.bytes += '\n';
        break;
      case 't':
        value.bytes += '\t';
        break;
      case 'r':
        value.bytes += '\r';
        break;
      case '"':
        value.bytes += '"';
        break;
      case '\\':
        value.bytes += '\\';
        break;
      case 'x': {
        int high = at < end ? hex_value(text[at]) : -1;
        int low = at + 1 < end ? hex_value(text[at + 1]) : -1;
        if (high < 0 || low < 0) return fail(begin, "expected two hexadecimal digits after '\\x'");
        value.bytes += static_cast<char>(high * 16 + low);
        at += 2;
        break;
      }
      case 'u':
        if (!read_unicode(text.substr(0, end), at, value.bytes)) {
          return fail(begin, "expected a character's number in hexadecimal, as in \\u{e9}");
        }
        break;
      default:
        return fail(
            begin,
            "unknown escape; the escapes are \\n \\t \\r \\\" \\\\ \\xHH \\u{HEX}, a backslash is \\\\");
    }
  }
  return value;
}

}  // namespace weir::syntax
