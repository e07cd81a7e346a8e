// ShortEntry: an entry of a Features map as writers give it to a feature of one value, if it takes less than
// 128 bytes:
//
//   0A length 0A length NAME 12 length KIND length 0A length VALUE
//
// All lengths follow from the name's and the value's, so that three comparisons find the value. Private to
// src/format.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "format/feature.h"
#include "format/name_index.h"
#include "format/wire.h"

namespace weir {

class ShortEntry {
 public:
  // No bytes are such an entry.
  ShortEntry() = default;
  // Nor are they if the name leaves no room for a value. The name must outlive the entry.
  ShortEntry(std::string_view name, FeatureType type) : name_(name) {
    constexpr size_t kLengthLimit = 128;
    const size_t others = name.size() + 8;  // what the first length counts beside the value
    if (others >= kLengthLimit) return;
    most_ = kLengthLimit - 1 - others;
    const auto byte = [](size_t value) { return static_cast<char>(value); };
    std::string head{'\x0a', byte(others), '\x0a', byte(name.size())};
    head += name;
    head.append({'\x12', 4, byte(wire_tag(static_cast<uint32_t>(type), WireType::delimited)), 2, '\x0a', 0});
    size_ = head.size();
    front_ = word(head.data());
    back_ = word(head.data() + size_ - kWord);
    const size_t lengths[] = {1, size_ - 5, size_ - 3, size_ - 1};
    for (const size_t at : lengths) {
      if (at < kWord) front_lengths_ |= uint64_t{1} << (8 * at);
      if (at >= size_ - kWord) back_lengths_ |= uint64_t{1} << (8 * (at - (size_ - kWord)));
    }
  }

  // Whether `entries` begins with such an entry; `value` is then its value, and the next entry follows it.
  bool find(const WireCursor& entries, WireCursor& value) const {
    if (entries.size() < size_) return false;
    const uint8_t* const at = entries.data();
    const size_t length = at[size_ - 1];
    if (length > most_ || length > entries.size() - size_) return false;
    if (word(at) != front_ + length * front_lengths_) return false;
    if (word(at + size_ - kWord) != back_ + length * back_lengths_) return false;
    // The two words have up to four bytes of the name from its beginning, and two to its end.
    if (name_.size() > 6 && !same_bytes(at + 4, name_.data(), name_.size())) return false;
    value = WireCursor(at + size_, length);
    return true;
  }

 private:
  static constexpr size_t kWord = sizeof(uint64_t);
  static uint64_t word(const void* from) {
    uint64_t out;
    std::memcpy(&out, from, sizeof(out));
    return out;
  }

  std::string_view name_;
  // What precedes the value.
  size_t size_ = SIZE_MAX;
  // The longest value.
  size_t most_ = 0;
  // Its first and last eight bytes for a value of no bytes, and a one in each of their bytes that is a
  // length.
  uint64_t front_ = 0;
  uint64_t front_lengths_ = 0;
  uint64_t back_ = 0;
  uint64_t back_lengths_ = 0;
};

}  // namespace weir
