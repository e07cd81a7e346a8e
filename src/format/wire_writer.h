// Writes the protobuf wire format, as far as tf.Example and TensorProto need it. Sizes come first: the caller
// computes how many bytes a message takes, and passes room for them. Each write returns where the next one
// goes.
#pragma once

#include <cstring>
#include <string_view>

#include "format/wire.h"

namespace weir {

// Protobuf parsers refuse larger messages.
inline constexpr size_t kMessageBytesLimit = (size_t{1} << 31) - 1;

constexpr size_t varint_bytes(uint64_t value) {
  size_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

// The bytes of a delimited field with a number below 16, including its header.
constexpr size_t field_bytes(size_t size) { return 1 + varint_bytes(size) + size; }

inline char* write_varint(char* to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}

// The header of a delimited field.
inline char* write_header(char* to, uint32_t field, uint64_t size) {
  return write_varint(write_varint(to, wire_tag(field, WireType::delimited)), size);
}

inline char* write_bytes(char* to, const void* bytes, size_t size) {
  if (size != 0) std::memcpy(to, bytes, size);
  return to + size;
}

inline char* write_field(char* to, uint32_t field, std::string_view bytes) {
  return write_bytes(write_header(to, field, bytes.size()), bytes.data(), bytes.size());
}

}  // namespace weir
