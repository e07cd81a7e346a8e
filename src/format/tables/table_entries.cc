#include "format/tables/table_entries.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "core/checked.h"
#include "core/float_mode.h"
#include "core/str.h"

namespace weir {

namespace {

using Kind = TableType::Kind;

template <class T>
const T* entries_of(const ArrowArray& array, size_t buffer = 1) {
  return static_cast<const T*>(array.buffers[buffer]) + array.offset;
}

template <class From, class To>
void copy(const ArrowArray& array, int64_t begin, int64_t count, uint8_t* out) {
  const From* const from = entries_of<From>(array) + begin;
  if constexpr (std::is_same_v<From, To>) {
    if (count > 0) std::memcpy(out, from, static_cast<size_t>(count) * sizeof(To));
  } else {
    auto* const to = reinterpret_cast<To*>(out);
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
  }
}

template <class From>
void copy_integers(const ArrowArray& array, int64_t begin, int64_t count, DType dtype, uint8_t* out) {
  switch (dtype) {
    case DType::int8:
      return copy<From, int8_t>(array, begin, count, out);
    case DType::uint8:
      return copy<From, uint8_t>(array, begin, count, out);
    case DType::int16:
      return copy<From, int16_t>(array, begin, count, out);
    case DType::uint16:
      return copy<From, uint16_t>(array, begin, count, out);
    case DType::int32:
      return copy<From, int32_t>(array, begin, count, out);
    case DType::uint32:
      return copy<From, uint32_t>(array, begin, count, out);
    case DType::int64:
      return copy<From, int64_t>(array, begin, count, out);
    default:
      return copy<From, uint64_t>(array, begin, count, out);
  }
}

void copy_halves(const ArrowArray& array, int64_t begin, int64_t count, DType dtype, uint8_t* out) {
  const auto* const from = entries_of<Float16>(array) + begin;
  if (dtype == DType::float16) return copy<uint16_t, uint16_t>(array, begin, count, out);
  for (int64_t i = 0; i < count; ++i) {
    const float value = to_float(from[i]);
    if (dtype == DType::float32) {
      reinterpret_cast<float*>(out)[i] = value;
    } else {
      reinterpret_cast<double*>(out)[i] = value;
    }
  }
}

void copy_numbers(DType from, const ArrowArray& array, int64_t begin, int64_t count, DType dtype,
                  uint8_t* out) {
  switch (from) {
    case DType::int8:
      return copy_integers<int8_t>(array, begin, count, dtype, out);
    case DType::uint8:
      return copy_integers<uint8_t>(array, begin, count, dtype, out);
    case DType::int16:
      return copy_integers<int16_t>(array, begin, count, dtype, out);
    case DType::uint16:
      return copy_integers<uint16_t>(array, begin, count, dtype, out);
    case DType::int32:
      return copy_integers<int32_t>(array, begin, count, dtype, out);
    case DType::uint32:
      return copy_integers<uint32_t>(array, begin, count, dtype, out);
    case DType::int64:
      return copy_integers<int64_t>(array, begin, count, dtype, out);
    case DType::uint64:
      return copy_integers<uint64_t>(array, begin, count, dtype, out);
    case DType::float16:
      return copy_halves(array, begin, count, dtype, out);
    case DType::float32:
      if (dtype == DType::float64) return copy<float, double>(array, begin, count, out);
      return copy<float, float>(array, begin, count, out);
    default:
      return copy<double, double>(array, begin, count, out);
  }
}

void copy_bits(const ArrowArray& array, int64_t begin, int64_t count, uint8_t* out) {
  const auto* const bits = static_cast<const uint8_t*>(array.buffers[1]);
  for (int64_t i = 0, bit = array.offset + begin; i < count; ++i, ++bit)
    out[i] = (bits[bit >> 3] >> (bit & 7)) & 1;
}

template <class Offset>
void view_texts(const ArrowArray& array, int64_t begin, int64_t count, uint8_t* out) {
  const Offset* const ends = entries_of<Offset>(array) + begin;
  const auto* const bytes = static_cast<const char*>(array.buffers[2]);
  auto* const to = reinterpret_cast<Str*>(out);
  for (int64_t i = 0; i < count; ++i) {
    const auto size = static_cast<uint64_t>(ends[i + 1] - ends[i]);
    to[i] = size == 0 ? Str("", 0) : Str(bytes + ends[i], size);
  }
}

void view_viewed(const ArrowArray& array, int64_t begin, int64_t count, uint8_t* out) {
  const auto* const views = static_cast<const char*>(array.buffers[1]);
  auto* to = reinterpret_cast<Str*>(out);
  for (int64_t i = begin; i < begin + count; ++i) {
    const TextView view = text_view(array, i);
    const auto size = static_cast<uint64_t>(view.size);
    if (view.size == 0 || table_entry_is_null(array, i)) {
      *to++ = Str("", 0);
    } else if (view.is_inline()) {
      *to++ = Str(views + (array.offset + i) * static_cast<int64_t>(sizeof view) + 4, size);
    } else {
      *to++ = Str(static_cast<const char*>(array.buffers[2 + view.buffer]) + view.offset, size);
    }
  }
}

void view_fixed(const ArrowArray& array, int64_t size, int64_t begin, int64_t count, uint8_t* out) {
  const auto* const bytes = static_cast<const char*>(array.buffers[1]);
  auto* const to = reinterpret_cast<Str*>(out);
  for (int64_t i = 0; i < count; ++i)
    to[i] =
        size == 0 ? Str("", 0) : Str(bytes + (array.offset + begin + i) * size, static_cast<uint64_t>(size));
}

template <class From>
int64_t scale_times(const ArrowArray& array, int64_t begin, int64_t count, int64_t unit, uint8_t* out) {
  const From* const from = entries_of<From>(array) + begin;
  auto* const to = reinterpret_cast<int64_t*>(out);
  for (int64_t i = 0; i < count; ++i) {
    const auto product = checked_multiply(int64_t{from[i]}, unit);
    if (!product && !table_entry_is_null(array, begin + i)) return i;
    to[i] = product.value_or(0);
  }
  return count;
}

int64_t narrow_times(const ArrowArray& array, int64_t begin, int64_t count, uint8_t* out) {
  const auto* const bytes = static_cast<const uint8_t*>(array.buffers[1]);
  auto* const to = reinterpret_cast<int64_t*>(out);
  for (int64_t i = 0; i < count; ++i) {
    int64_t words[2];
    std::memcpy(words, bytes + (array.offset + begin + i) * 16, sizeof words);
    if (words[1] != words[0] >> 63 && !table_entry_is_null(array, begin + i)) return i;
    to[i] = words[0];
  }
  return count;
}

// A whole number of up to 32 bytes, two's complement and little-endian.
class Decimal {
 public:
  Decimal(const uint8_t* bytes, size_t size) {
    negative_ = (bytes[size - 1] & 0x80) != 0;
    uint8_t all[sizeof words_];
    std::memset(all, negative_ ? 0xff : 0, sizeof all);
    std::memcpy(all, bytes, size);
    std::memcpy(words_, all, sizeof all);
    if (!negative_) return;
    bool carry = true;
    for (uint32_t& word : words_) {
      word = ~word + (carry ? 1 : 0);
      carry = carry && word == 0;
    }
  }

  // With so many digits after the point.
  std::string text(int scale) const {
    std::string digits;
    uint32_t rest[8];
    std::memcpy(rest, words_, sizeof rest);
    while (std::any_of(rest, rest + 8, [](uint32_t word) { return word != 0; })) {
      uint64_t remainder = 0;
      for (int i = 7; i >= 0; --i) {
        const uint64_t value = remainder << 32 | rest[i];
        rest[i] = static_cast<uint32_t>(value / 10);
        remainder = value % 10;
      }
      digits += static_cast<char>('0' + remainder);
    }
    const auto places = static_cast<size_t>(scale);
    if (digits.size() <= places) digits.append(places + 1 - digits.size(), '0');
    std::string out = negative_ && digits.find_first_not_of('0') != digits.npos ? "-" : "";
    out.append(digits.rbegin(), digits.rend());
    if (places > 0) out.insert(out.size() - places, 1, '.');
    return out;
  }

  // Rounded to nearest.
  double number(int scale) const {
    constexpr int kExactPower = 22;
    const uint64_t low = uint64_t{words_[1]} << 32 | words_[0];
    const bool small = std::all_of(words_ + 2, words_ + 8, [](uint32_t word) { return word == 0; });
    if (small && low <= uint64_t{1} << 53 && scale <= kExactPower) {
      double power = 1;
      for (int i = 0; i < scale; ++i) power *= 10;
      const double out = static_cast<double>(low) / power;
      return negative_ ? -out : out;
    }
    const std::string written = text(scale);
    double out = 0;
    std::from_chars(written.data(), written.data() + written.size(), out);
    return out;
  }

 private:
  uint32_t words_[8];
  bool negative_;
};

void read_decimals(const TableType& type, const ArrowArray& array, int64_t begin, int64_t count, DType dtype,
                   const TextMemory& memory, uint8_t* out) {
  const auto size = static_cast<size_t>(type.size);
  const auto* bytes =
      static_cast<const uint8_t*>(array.buffers[1]) + static_cast<size_t>(array.offset + begin) * size;
  for (int64_t i = 0; i < count; ++i, bytes += size) {
    const Decimal value(bytes, size);
    if (dtype == DType::float64) {
      reinterpret_cast<double*>(out)[i] = value.number(type.scale);
      continue;
    }
    const std::string text = value.text(type.scale);
    char* const copy = memory(text.size());
    std::memcpy(copy, text.data(), text.size());
    reinterpret_cast<Str*>(out)[i] = Str(copy, text.size());
  }
}

}  // namespace

int64_t table_entries(const TableType& type, const ArrowArray& array, int64_t begin, int64_t count,
                      DType dtype, const TextMemory& memory, uint8_t* out) {
  if (count == 0) return 0;
  const FloatMode mode;
  switch (type.kind) {
    case Kind::boolean:
      copy_bits(array, begin, count, out);
      return count;
    case Kind::number:
      copy_numbers(type.dtype, array, begin, count, dtype, out);
      return count;
    case Kind::time:
      if (type.dtype == DType::int32) return scale_times<int32_t>(array, begin, count, type.unit, out);
      return scale_times<int64_t>(array, begin, count, type.unit, out);
    case Kind::wide_time:
      return narrow_times(array, begin, count, out);
    case Kind::decimal:
      read_decimals(type, array, begin, count, dtype, memory, out);
      return count;
    case Kind::text:
      view_texts<int32_t>(array, begin, count, out);
      return count;
    case Kind::long_text:
      view_texts<int64_t>(array, begin, count, out);
      return count;
    case Kind::viewed_text:
      view_viewed(array, begin, count, out);
      return count;
    default:
      view_fixed(array, type.size, begin, count, out);
      return count;
  }
}

}  // namespace weir
