// The protobuf wire format, as far as reading tf.Example needs it: a cursor over untrusted bytes of the
// caller. A function that returns false has met damage; the cursor is then of no use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weir {

enum class WireType : uint8_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

constexpr uint32_t wire_tag(uint32_t field, WireType type) {
  return field << 3 | static_cast<uint32_t>(type);
}

class WireCursor {
 public:
  WireCursor() = default;
  WireCursor(const void* data, size_t size) : at_(static_cast<const uint8_t*>(data)), end_(at_ + size) {}

  bool done() const { return at_ == end_; }
  size_t size() const { return static_cast<size_t>(end_ - at_); }
  const uint8_t* data() const { return at_; }

  bool read_varint(uint64_t& value) {
    const uint8_t* const next = varint(at_, end_, value);
    if (next == nullptr) return false;
    at_ = next;
    return true;
  }

  // A tag is a field number from 1 to 2^29 - 1 and a wire type.
  bool read_tag(uint32_t& tag) {
    uint64_t value;
    if (!read_varint(value) || value > UINT32_MAX || value < 8) return false;
    tag = static_cast<uint32_t>(value);
    return true;
  }

  // Reads a length and views as many bytes.
  bool read_delimited(WireCursor& content) {
    uint64_t size;
    if (!read_varint(size) || size > this->size()) return false;
    content = WireCursor(at_, static_cast<size_t>(size));
    at_ += size;
    return true;
  }

  template <class T>
  bool read_fixed(T& value) {
    if (size() < sizeof(T)) return false;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }

  // Skips a field whose tag was read. Groups are damage, as in TensorFlow's parser.
  bool skip(uint32_t tag) {
    uint64_t number;
    WireCursor content;
    switch (static_cast<WireType>(tag & 7)) {
      case WireType::varint:
        return read_varint(number);
      case WireType::fixed64:
        return read_fixed(number);
      case WireType::delimited:
        return read_delimited(content);
      case WireType::fixed32: {
        uint32_t narrow;
        return read_fixed(narrow);
      }
    }
    return false;
  }

 private:
  // Of a varint.
  static constexpr size_t kMostBytes = 10;

  // Returns the end of the varint at `at`, or null if it is none. One to three bytes are the common lengths; that the
  // branches are predicted is faster than doing without.
  static const uint8_t* varint(const uint8_t* at, const uint8_t* end, uint64_t& value) {
    if (at != end && at[0] < 0x80) {
      value = at[0];
      return at + 1;
    }
    if (end - at >= 3) {
      const uint64_t low = at[0] + (uint64_t{at[1]} << 7) - 0x80;
      if (at[1] < 0x80) {
        value = low;
        return at + 2;
      }
      if (at[2] < 0x80) {
        value = low + (uint64_t{at[2]} << 14) - (uint64_t{0x80} << 7);
        return at + 3;
      }
    }
    // By a copy, so that the caller's may stay in a register.
    uint64_t whole = 0;
    const uint8_t* const next = long_varint(at, end, whole);
    value = whole;
    return next;
  }

  [[gnu::noinline]] static const uint8_t* long_varint(const uint8_t* at, const uint8_t* end,
                                                      uint64_t& value) {
    for (size_t shift = 0; shift < 7 * kMostBytes && at != end; shift += 7) {
      const uint8_t byte = *at++;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return at;
    }
    return nullptr;
  }

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
};

}  // namespace weir
