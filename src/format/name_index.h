// NameIndex: from a name to its number, for a few names that are looked up for every record. Holds views of
// the names, which the caller keeps alive. A look-up costs a hash of the name and usually one comparison.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace weir {

// Compares short names without a call: two words, which may overlap, cover up to 16 bytes.
inline bool same_bytes(const void* a, const void* b, size_t size) {
  const uint8_t* left = static_cast<const uint8_t*>(a);
  const uint8_t* right = static_cast<const uint8_t*>(b);
  const auto differ = [&]<class Word>(Word, size_t at) {
    Word x, y;
    std::memcpy(&x, left + at, sizeof(Word));
    std::memcpy(&y, right + at, sizeof(Word));
    return x ^ y;
  };
  if (size > 16) return std::memcmp(a, b, size) == 0;
  if (size >= 8) return (differ(uint64_t{}, 0) | differ(uint64_t{}, size - 8)) == 0;
  if (size >= 4) return (differ(uint32_t{}, 0) | differ(uint32_t{}, size - 4)) == 0;
  for (size_t i = 0; i < size; ++i) {
    if (left[i] != right[i]) return false;
  }
  return true;
}

class NameIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Returns false if the name is already there.
  bool insert(std::string_view name) {
    if (find(name) != kNone) return false;
    names_.push_back(name);
    if (2 * names_.size() > slots_.size()) {
      slots_.assign(std::bit_ceil(4 * names_.size()), kNone);
      for (uint32_t number = 0; number < names_.size(); ++number) place(number);
    } else {
      place(static_cast<uint32_t>(names_.size() - 1));
    }
    return true;
  }

  uint32_t find(std::string_view name) const {
    if (slots_.empty()) return kNone;
    for (size_t slot = hash(name) & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      const uint32_t number = slots_[slot];
      if (number == kNone || is(number, name)) return number;
    }
  }

  bool is(uint32_t number, std::string_view name) const {
    if (number >= names_.size()) return false;
    const std::string_view known = names_[number];
    return known.size() == name.size() && same_bytes(known.data(), name.data(), name.size());
  }

 private:
  // Hashes overlapping words like same_bytes(); it need not be strong, since no attacker chooses the names.
  static size_t hash(std::string_view name) {
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
    const char* bytes = name.data();
    const size_t size = name.size();
    uint64_t value = size * kFactor;
    const auto mix = [&value](uint64_t word) {
      value = (value ^ word) * kFactor;
      value ^= value >> 32;
    };
    if (size >= 8) {
      for (size_t at = 0; at + 8 < size; at += 8) mix(load<uint64_t>(bytes + at));
      mix(load<uint64_t>(bytes + size - 8));
    } else if (size >= 4) {
      mix(uint64_t{load<uint32_t>(bytes)} << 32 | load<uint32_t>(bytes + size - 4));
    } else if (size > 0) {
      mix(uint64_t{load<uint8_t>(bytes)} | uint64_t{load<uint8_t>(bytes + size / 2)} << 8 |
          uint64_t{load<uint8_t>(bytes + size - 1)} << 16);
    }
    // A name's last byte is a word's highest; only the upper half of the product depends on all of it.
    return static_cast<size_t>((value * kFactor) >> 32);
  }

  template <class Word>
  static Word load(const char* bytes) {
    Word word;
    std::memcpy(&word, bytes, sizeof(Word));
    return word;
  }

  void place(uint32_t number) {
    size_t slot = hash(names_[number]) & (slots_.size() - 1);
    while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = number;
  }

  std::vector<std::string_view> names_;
  // At most half full, so that a search ends.
  std::vector<uint32_t> slots_;
};

}  // namespace weir
