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

// Field 1, where most messages of tf.Example hold their one list or map.
inline constexpr uint32_t kFirstField = wire_tag(1, WireType::delimited);
// Field 2, where an entry of a map has its value.
inline constexpr uint32_t kSecondField = wire_tag(2, WireType::delimited);

class WireCursor {
 public:
  WireCursor() = default;
  WireCursor(const void* data, size_t size) : at_(static_cast<const uint8_t*>(data)), end_(at_ + size) {}

  bool done() const { return at_ == end_; }
  size_t size() const { return static_cast<size_t>(end_ - at_); }
  const uint8_t* data() const { return at_; }

  bool read_varint(uint64_t& value) {
    if (at_ != end_ && *at_ < 0x80) {
      value = *at_++;
      return true;
    }
    return read_long_varint(value);
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
  bool read_long_varint(uint64_t& value) {
    uint64_t result = 0;
    for (int shift = 0; shift < 70 && at_ != end_; shift += 7) {
      const uint8_t byte = *at_++;
      result |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        value = result;
        return true;
      }
    }
    return false;
  }

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
};

// Calls `found(content)` with each field `wanted` of a message; false if the message is damaged or a call is
// false.
template <class Found>
bool each_content(WireCursor message, uint32_t wanted, Found&& found) {
  while (!message.done()) {
    uint32_t tag;
    WireCursor content;
    if (!message.read_tag(tag)) return false;
    if (tag == wanted ? !message.read_delimited(content) : !message.skip(tag)) return false;
    if (tag == wanted && !found(content)) return false;
  }
  return true;
}

}  // namespace weir
