#include "format/tar/tar_header.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace weir {

namespace {

using TarBlock = std::span<const uint8_t, kTarBlock>;

// No member is larger.
constexpr uint64_t kMostBytes = uint64_t{1} << 62;

// A text that a NUL or the field ends.
std::string_view field_text(TarBlock block, size_t at, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(block.data()) + at, size);
  return text.substr(0, text.find('\0'));
}

// Octal digits with spaces or NULs around them, or 255 bits of a binary number.
std::optional<uint64_t> field_number(TarBlock block, size_t at, size_t size) {
  uint64_t value = 0;
  if (block[at] & 0x80) {
    if (block[at] & 0x40) return std::nullopt;
    value = block[at] & 0x3f;
    for (size_t i = at + 1; i < at + size; ++i) {
      if (value >= kMostBytes >> 8) return std::nullopt;
      value = value << 8 | block[i];
    }
    return value;
  }
  std::string_view text(reinterpret_cast<const char*>(block.data()) + at, size);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find_first_of(std::string_view(" \0", 2)));
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value << 3 | static_cast<uint64_t>(c - '0');
  }
  return value;
}

bool has_checksum(TarBlock block) {
  constexpr size_t kAt = 148;
  constexpr size_t kSize = 8;
  const auto written = field_number(block, kAt, kSize);
  if (!written) return false;
  uint64_t sum = 0;
  for (const uint8_t byte : block) sum += byte;
  // Some old programs sum signed bytes.
  const auto high =
      static_cast<uint64_t>(std::count_if(block.begin(), block.end(), [](uint8_t b) { return b > 127; }));
  for (size_t i = kAt; i < kAt + kSize; ++i) sum = sum - block[i] + ' ';
  return *written == sum || *written + 256 * high == sum;
}

TarHeader::Kind kind_of(uint8_t flag) {
  using Kind = TarHeader::Kind;
  switch (flag) {
    case '\0':
    case '0':
    case '7':
      return Kind::file;
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
      return Kind::other;
    case 'L':
      return Kind::long_name;
    case 'K':
      return Kind::long_link;
    case 'S':
      return Kind::sparse;
    case 'x':
    case 'X':
      return Kind::pax;
    case 'g':
      return Kind::pax_global;
    default:
      return Kind::unknown;
  }
}

}  // namespace

bool is_zero_block(TarBlock block) {
  return std::all_of(block.begin(), block.end(), [](uint8_t byte) { return byte == 0; });
}

uint64_t tar_blocks(uint64_t size) {
  return size > kMostBytes ? size : (size + kTarBlock - 1) / kTarBlock * kTarBlock;
}

const char* read_tar_header(TarBlock block, TarHeader& out) {
  if (!has_checksum(block)) return "the checksum of a member's header is wrong";
  const auto size = field_number(block, 124, 12);
  if (!size) return "the size of a member is no number";
  out.size = *size;
  out.kind = kind_of(block[156]);
  out.extended = out.kind == TarHeader::Kind::sparse && block[482] != 0;
  out.name = field_text(block, 0, 100);
  // GNU has times where ustar has a prefix, and another magic.
  const bool ustar = std::memcmp(block.data() + 257, "ustar\0", 6) == 0;
  const std::string_view prefix = ustar ? field_text(block, 345, 155) : std::string_view();
  if (!prefix.empty()) out.name.insert(0, 1, '/').insert(0, prefix);
  return nullptr;
}

}  // namespace weir
