#include "format/base64.h"

#include <array>
#include <cstdint>

#include "core/text.h"

namespace weir {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// Has bits that no value has.
constexpr uint8_t kNone = 0x80;

constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> out = {};
  out.fill(kNone);
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    out[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return out;
}();

uint32_t value_of(char c) { return kValues[static_cast<uint8_t>(c)]; }
char letter(uint32_t bits) { return kAlphabet[bits & 63]; }
uint32_t byte_of(char c) { return static_cast<uint8_t>(c); }

// Writes three bytes for four letters; false if one is none.
bool read_group(const char* text, char* to) {
  const uint32_t a = value_of(text[0]);
  const uint32_t b = value_of(text[1]);
  const uint32_t c = value_of(text[2]);
  const uint32_t d = value_of(text[3]);
  to[0] = static_cast<char>(a << 2 | b >> 4);
  to[1] = static_cast<char>(b << 4 | c >> 2);
  to[2] = static_cast<char>(c << 6 | d);
  return ((a | b | c | d) & kNone) == 0;
}

Status wrong_letter(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && value_of(text[at]) != kNone) ++at;
  return invalid_argument(expected_found("web-safe base64 (A-Z a-z 0-9 - _, padded with = or not)",
                                         concat(quote(text.substr(at, 1)), " at byte ", at)));
}

}  // namespace

void write_base64(std::string_view bytes, char* to) {
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 3; left -= 3, at += 3) {
    const uint32_t group = byte_of(at[0]) << 16 | byte_of(at[1]) << 8 | byte_of(at[2]);
    *to++ = letter(group >> 18);
    *to++ = letter(group >> 12);
    *to++ = letter(group >> 6);
    *to++ = letter(group);
  }
  if (left == 0) return;
  const uint32_t group = byte_of(at[0]) << 16 | (left == 2 ? byte_of(at[1]) << 8 : 0);
  *to++ = letter(group >> 18);
  *to++ = letter(group >> 12);
  if (left == 2) *to++ = letter(group >> 6);
}

Status read_base64(std::string_view text, char* to, size_t& size) {
  std::string_view letters = text;
  if (text.size() % 4 == 0 && text.ends_with('=')) letters.remove_suffix(text.ends_with("==") ? 2 : 1);
  const size_t rest = letters.size() % 4;
  if (rest == 1) {
    return invalid_argument(expected_found("base64, whose length is never one more than a multiple of 4",
                                           concat(letters.size(), " bytes")));
  }
  const size_t whole = letters.size() - rest;
  char* out = to;
  bool good = true;
  for (size_t at = 0; at < whole; at += 4, out += 3) good = read_group(letters.data() + at, out) && good;
  if (rest != 0) {
    char last[4] = {'A', 'A', 'A', 'A'};
    for (size_t i = 0; i < rest; ++i) last[i] = letters[whole + i];
    char bytes[3];
    good = read_group(last, bytes) && good;
    for (size_t i = 0; i + 1 < rest; ++i) *out++ = bytes[i];
  }
  if (!good) return wrong_letter(letters);
  size = static_cast<size_t>(out - to);
  return Status();
}

}  // namespace weir
