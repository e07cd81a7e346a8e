#include "format/array_entries.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "core/text.h"

namespace weir {

namespace {

template <class T>
T reversed(T value) {
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  return static_cast<T>(__builtin_bswap64(value));
}

template <class T>
void reverse_each(uint8_t* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    value = reversed(value);
    std::memcpy(bytes + i * sizeof(T), &value, sizeof(T));
  }
}

bool other_order(const ArrayType& type) {
  return type.big_endian != (std::endian::native == std::endian::big);
}

// Writes at most four bytes; the code point is one of UTF-8.
uint8_t* append_utf8(uint8_t* to, uint32_t point) {
  const auto tail = [&](int shift) { *to++ = static_cast<uint8_t>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    *to++ = static_cast<uint8_t>(point);
    return to;
  }
  if (point < 0x800) {
    *to++ = static_cast<uint8_t>(0xc0 | point >> 6);
    tail(0);
    return to;
  }
  if (point < 0x10000) {
    *to++ = static_cast<uint8_t>(0xe0 | point >> 12);
  } else {
    *to++ = static_cast<uint8_t>(0xf0 | point >> 18);
    tail(12);
  }
  tail(6);
  tail(0);
  return to;
}

Status no_code_point(uint32_t point) {
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  Mistake mistake = expected_found("code points, which UTF-8 has",
                                   concat(surrogate ? "the surrogate " : "the number ", point),
                                   surrogate ? "write the string as bytes" : "restore the file");
  return Status(surrogate ? Code::invalid_argument : Code::data_loss, std::move(mistake));
}

// UTF-8 is never longer than what it is made of, so it takes the same place.
Status make_utf8(const ArrayType& type, uint8_t* bytes, Str& out) {
  const auto point_at = [&](size_t i) {
    uint32_t point;
    std::memcpy(&point, bytes + 4 * i, sizeof(point));
    return other_order(type) ? reversed(point) : point;
  };
  size_t points = type.entry_bytes / 4;
  while (points > 0 && point_at(points - 1) == 0) --points;
  uint8_t* to = bytes;
  for (size_t i = 0; i < points; ++i) {
    const uint32_t point = point_at(i);
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return no_code_point(point);
    to = append_utf8(to, point);
  }
  out = Str(reinterpret_cast<const char*>(bytes), static_cast<uint64_t>(to - bytes));
  return Status();
}

}  // namespace

void make_numbers(const ArrayType& type, uint8_t* bytes, size_t count) {
  if (type.dtype == DType::boolean) {
    for (size_t i = 0; i < count; ++i) bytes[i] = bytes[i] != 0;
    return;
  }
  if (!other_order(type)) return;
  const size_t size = is_complex(type.dtype) ? type.entry_bytes / 2 : type.entry_bytes;
  count *= type.entry_bytes / size;
  if (size == 2) reverse_each<uint16_t>(bytes, count);
  if (size == 4) reverse_each<uint32_t>(bytes, count);
  if (size == 8) reverse_each<uint64_t>(bytes, count);
}

Status make_strings(const ArrayType& type, uint8_t* bytes, size_t count, Str* out) {
  for (size_t i = 0; i < count; ++i, bytes += type.entry_bytes) {
    if (type.utf32) {
      WEIR_TRY(make_utf8(type, bytes, out[i]));
      continue;
    }
    size_t size = type.entry_bytes;
    while (size > 0 && bytes[size - 1] == 0) --size;
    out[i] = Str(reinterpret_cast<const char*>(bytes), size);
  }
  return Status();
}

}  // namespace weir
