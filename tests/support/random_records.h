// RandomRecords: random Examples and SequenceExamples in all encodings that protobuf reads.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::test {

using Dice = std::mt19937_64;

class RandomRecords {
 public:
  explicit RandomRecords(uint64_t seed) : dice_(seed) {}

  uint64_t draw(uint64_t bound) { return dice_() % bound; }
  bool chance(uint64_t one_in) { return draw(one_in) == 0; }

  // A message field that holds bytes.
  static std::string field(uint32_t number, std::string_view content) {
    std::string out = varint(number << 3 | 2);
    out += varint(content.size());
    return out.append(content);
  }
  static std::string varint(uint64_t value) {
    std::string out;
    for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
    return out;
  }

  // A Feature of a kind (1 string, 2 float32, 3 int64) with so many values; at times others stand before
  // them, which do not count.
  std::string feature(uint32_t kind, size_t count) {
    std::string out = unknown();
    if (chance(6)) out += list(1 + static_cast<uint32_t>(kind % 3), draw(3));
    const size_t first = chance(4) ? draw(count + 1) : count;
    out += list(kind, first);
    if (first != count) out += unknown() + list(kind, count - first);
    return out;
  }
  // An Int64List feature of these values.
  std::string indices(const std::vector<int64_t>& values) {
    std::string packed;
    for (const int64_t value : values) packed += varint(static_cast<uint64_t>(value));
    return field(3, field(1, packed));
  }
  // An entry of a map.
  std::string entry(std::string_view name, std::string_view value) {
    const std::string key = field(1, name), content = field(2, value);
    std::string both = chance(5) ? content + key : key + content;
    return field(1, both + unknown());
  }
  // A field that no message has.
  std::string unknown() {
    if (!chance(8)) return "";
    switch (draw(4)) {
      case 0:
        return varint(15 << 3) + varint(dice_());
      case 1:
        return varint(15 << 3 | 1) + "12345678";
      case 2:
        return field(15, "anything");
      default:
        return varint(15 << 3 | 5) + "1234";
    }
  }

 private:
  std::string list(uint32_t kind, size_t count) {
    std::string out = unknown();
    std::string packed;
    const bool unpacked = chance(3);
    for (size_t i = 0; i < count; ++i) {
      if (kind == 1) {
        out += field(1, std::string(draw(4) * draw(8), static_cast<char>('a' + draw(26))));
        continue;
      }
      std::string value;
      if (kind == 3) {
        value = varint(dice_() >> draw(64));
      } else {
        for (const uint64_t bits = dice_(); value.size() < 4;)
          value.push_back(static_cast<char>(bits >> (8 * value.size())));
      }
      const bool single = unpacked && !chance(4);
      if (single && !packed.empty()) out += field(1, std::exchange(packed, ""));
      if (single) out += varint(kind == 3 ? 1 << 3 : 1 << 3 | 5) + value;
      if (!single) packed += value;
    }
    if (!packed.empty()) out += field(1, packed);
    return field(kind, out + unknown());
  }

  Dice dice_;
};

}  // namespace weir::test
