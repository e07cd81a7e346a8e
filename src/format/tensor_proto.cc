// TensorProto { DataType dtype = 1; TensorShapeProto tensor_shape = 2; bytes tensor_content = 4; … }
// TensorShapeProto { repeated Dim dim = 2 { int64 size = 1 }; bool unknown_rank = 3 }
#include "format/tensor_proto.h"

#include <algorithm>
#include <limits>

#include "core/text.h"
#include "format/wire_writer.h"

namespace weir {

namespace {

constexpr uint32_t kDtype = wire_tag(1, WireType::varint);
constexpr uint32_t kShape = wire_tag(2, WireType::delimited);
constexpr uint32_t kContentField = 4;
constexpr uint32_t kContent = wire_tag(kContentField, WireType::delimited);
constexpr uint32_t kStringField = 8;
constexpr uint32_t kDim = wire_tag(2, WireType::delimited);
constexpr uint32_t kUnknownRank = wire_tag(3, WireType::varint);
constexpr uint32_t kDimSize = wire_tag(1, WireType::varint);

// A dtype's number in TensorFlow, and the field that lists its entries. A listed number is a varint unless
// its own type has the width of a fixed one.
struct Known {
  DType dtype;
  uint32_t number;
  uint32_t field;
  WireType wire;
};
constexpr Known kKnown[] = {
    {DType::float32, 1, 5, WireType::fixed32},      {DType::float64, 2, 6, WireType::fixed64},
    {DType::int32, 3, 7, WireType::varint},         {DType::uint8, 4, 7, WireType::varint},
    {DType::int16, 5, 7, WireType::varint},         {DType::int8, 6, 7, WireType::varint},
    {DType::string, 7, 8, WireType::delimited},     {DType::complex64, 8, 9, WireType::fixed32},
    {DType::int64, 9, 10, WireType::varint},        {DType::boolean, 10, 11, WireType::varint},
    {DType::bfloat16, 14, 13, WireType::varint},    {DType::uint16, 17, 7, WireType::varint},
    {DType::complex128, 18, 12, WireType::fixed64}, {DType::float16, 19, 13, WireType::varint},
    {DType::uint32, 22, 16, WireType::varint},      {DType::uint64, 23, 17, WireType::varint},
};

const Known* known(DType dtype) {
  for (const Known& each : kKnown) {
    if (each.dtype == dtype) return &each;
  }
  return nullptr;
}

Status damaged(std::string_view what) {
  return invalid_argument(expected_found("a serialized TensorProto", what));
}

// A message that is there several times is joined, as protobuf does.
Status read_shape(WireCursor shape, TensorMessage& out) {
  int64_t dims[kMaxRank];
  std::copy_n(out.shape.dims().begin(), out.shape.rank(), dims);
  auto rank = static_cast<size_t>(out.shape.rank());
  uint32_t tag;
  while (!shape.done()) {
    if (!shape.read_tag(tag)) return damaged("a damaged shape");
    WireCursor dim;
    uint64_t value = 0;
    if (tag == kUnknownRank) {
      if (!shape.read_varint(value)) return damaged("a damaged shape");
      if (value != 0) return damaged("one of unknown rank");
      continue;
    }
    if (tag != kDim) {
      if (!shape.skip(tag)) return damaged("a damaged shape");
      continue;
    }
    if (!shape.read_delimited(dim)) return damaged("a damaged shape");
    while (!dim.done()) {
      if (!dim.read_tag(tag) || !(tag == kDimSize ? dim.read_varint(value) : dim.skip(tag)))
        return damaged("a damaged shape");
    }
    if (rank == kMaxRank) return damaged(concat("one of more than ", kMaxRank, " dimensions"));
    dims[rank++] = static_cast<int64_t>(value);
  }
  out.shape = Shape(std::span<const int64_t>(dims, rank));
  return Status();
}

// Whether the entries that the message has can make such a tensor.
Status check_size(const TensorMessage& message, size_t bytes) {
  const int64_t count = checked_count(message.shape.dims());
  const auto width = static_cast<int64_t>(dtype_size(message.dtype));
  if (count < 0 || count > std::numeric_limits<int64_t>::max() / width) {
    return damaged(concat("one of the shape ", message.shape.to_string()));
  }
  if (count == 0) return Status();
  if (message.content.size() != 0) {
    // Strings take a byte or more each.
    const auto size = static_cast<int64_t>(message.content.size());
    const bool fits = message.dtype == DType::string ? size >= count : size == count * width;
    if (fits) return Status();
    return invalid_argument(expected_found(
        concat(count * width, " bytes for ", dtype_name(message.dtype), message.shape.to_string()),
        concat(size)));
  }
  if (static_cast<uint64_t>(count) <= bytes || count * width <= kFilledBytesLimit) return Status();
  return invalid_argument(expected_found(
      concat("all entries of a tensor of more than ", kFilledBytesLimit, " bytes"), "only some of them"));
}

// Puts numbers into an array of `count`, as T; those beyond are only checked.
template <class T>
struct Numbers {
  T* out;
  size_t count;
  size_t found = 0;

  void add(T value) {
    if (found < count) out[found++] = value;
  }
  bool add_varint(WireCursor& from) {
    uint64_t value;
    if (!from.read_varint(value)) return false;
    if constexpr (std::is_same_v<T, bool>) {
      add(value != 0);
    } else {
      add(static_cast<T>(value));
    }
    return true;
  }
  bool add_fixed(WireCursor& from) {
    T value;
    if (!from.read_fixed(value)) return false;
    add(value);
    return true;
  }
};

// Reads the listed numbers, one by one or packed. False if they are damaged.
template <class T, WireType kWire>
bool read_listed(const TensorMessage& message, uint32_t field, Numbers<T>& out) {
  WireCursor fields = message.fields;
  const auto next = [&](WireCursor& from) {
    if constexpr (kWire == WireType::varint) {
      return out.add_varint(from);
    } else {
      return out.add_fixed(from);
    }
  };
  uint32_t tag;
  while (!fields.done()) {
    if (!fields.read_tag(tag)) return false;
    if (tag == wire_tag(field, kWire)) {
      if (!next(fields)) return false;
    } else if (tag == wire_tag(field, WireType::delimited)) {
      WireCursor packed;
      if (!fields.read_delimited(packed)) return false;
      while (!packed.done()) {
        if (!next(packed)) return false;
      }
    } else if (!fields.skip(tag)) {
      return false;
    }
  }
  return true;
}

// `parts`: the numbers of an entry.
template <class T, WireType kWire>
Status read_numbers(const TensorMessage& message, void* entries, size_t parts = 1) {
  const size_t count = static_cast<size_t>(message.shape.count()) * parts;
  Numbers<T> out{static_cast<T*>(entries), count};
  if (!read_listed<T, kWire>(message, known(message.dtype)->field, out)) return damaged("damaged entries");
  // Half an entry counts for nothing.
  out.found -= out.found % parts;
  for (size_t i = out.found; i < count; ++i) out.out[i] = out.found == 0 ? T() : out.out[i - parts];
  return Status();
}

// The sizes of all strings as varints, then their bytes.
bool read_string_content(WireCursor content, Str* out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t size;
    if (!content.read_varint(size) || size > UINT32_MAX) return false;
    out[i].size = size;
  }
  const char* at = reinterpret_cast<const char*>(content.data());
  size_t left = content.size();
  for (size_t i = 0; i < count; ++i) {
    if (out[i].size > left) return false;
    out[i].data = at;
    at += out[i].size;
    left -= static_cast<size_t>(out[i].size);
  }
  return left == 0;
}

Status read_strings(const TensorMessage& message, Str* out) {
  const auto count = static_cast<size_t>(message.shape.count());
  if (message.content.size() != 0) {
    return read_string_content(message.content, out, count) ? Status() : damaged("damaged strings");
  }
  WireCursor fields = message.fields;
  size_t found = 0;
  uint32_t tag;
  while (!fields.done()) {
    WireCursor bytes;
    if (!fields.read_tag(tag)) return damaged("damaged strings");
    if (tag != wire_tag(kStringField, WireType::delimited)) {
      if (!fields.skip(tag)) return damaged("damaged strings");
      continue;
    }
    if (!fields.read_delimited(bytes)) return damaged("damaged strings");
    if (found < count) out[found++] = Str(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  for (size_t i = found; i < count; ++i) out[i] = found == 0 ? Str() : out[found - 1];
  return Status();
}

Status read_varints(const TensorMessage& message, void* entries) {
  switch (dtype_size(message.dtype)) {
    case 1:
      return message.dtype == DType::boolean ? read_numbers<bool, WireType::varint>(message, entries)
                                             : read_numbers<uint8_t, WireType::varint>(message, entries);
    case 2:
      return read_numbers<uint16_t, WireType::varint>(message, entries);
    case 4:
      return read_numbers<uint32_t, WireType::varint>(message, entries);
    default:
      return read_numbers<uint64_t, WireType::varint>(message, entries);
  }
}

}  // namespace

Status open_tensor(std::string_view bytes, TensorMessage& out) {
  out = {};
  out.fields = WireCursor(bytes.data(), bytes.size());
  WireCursor fields = out.fields;
  uint64_t number = 0;
  uint32_t tag;
  while (!fields.done()) {
    if (!fields.read_tag(tag)) return damaged("other bytes");
    WireCursor shape;
    bool good = true;
    if (tag == kDtype) {
      good = fields.read_varint(number);
    } else if (tag == kShape) {
      good = fields.read_delimited(shape);
      if (good) WEIR_TRY(read_shape(shape, out));
    } else if (tag == kContent) {
      good = fields.read_delimited(out.content);
    } else {
      good = fields.skip(tag);
    }
    if (!good) return damaged("damaged bytes");
  }
  for (const Known& each : kKnown) {
    if (each.number == number) out.dtype = each.dtype;
  }
  if (out.dtype != DType::invalid) return check_size(out, bytes.size());
  return damaged(number == 0
                     ? std::string("one without a dtype")
                     : concat("one of TensorFlow's dtype number ", number, ", which is not supported"));
}

Status read_tensor(const TensorMessage& message, void* entries) {
  const auto count = static_cast<size_t>(message.shape.count());
  if (count == 0) return Status();
  if (message.dtype == DType::string) return read_strings(message, static_cast<Str*>(entries));
  if (message.content.size() != 0) {
    std::memcpy(entries, message.content.data(), message.content.size());
    if (message.dtype != DType::boolean) return Status();
    auto* out = static_cast<uint8_t*>(entries);
    for (size_t i = 0; i < count; ++i) out[i] = out[i] != 0;
    return Status();
  }
  const size_t parts = is_complex(message.dtype) ? 2 : 1;
  switch (known(message.dtype)->wire) {
    case WireType::fixed32:
      return read_numbers<uint32_t, WireType::fixed32>(message, entries, parts);
    case WireType::fixed64:
      return read_numbers<uint64_t, WireType::fixed64>(message, entries, parts);
    default:
      return read_varints(message, entries);
  }
}

TensorWriter::TensorWriter(DType dtype, const Shape& shape)
    : dtype_(dtype), count_(static_cast<size_t>(shape.count())) {
  // A dimension of 0 is a message without fields.
  const auto dim_bytes = [](int64_t dim) {
    return dim == 0 ? 0 : 1 + varint_bytes(static_cast<uint64_t>(dim));
  };
  size_t shape_bytes = 0;
  for (int64_t dim : shape.dims()) shape_bytes += field_bytes(dim_bytes(dim));
  header_.resize(2 + field_bytes(shape_bytes));
  char* at = write_varint(header_.data(), kDtype);
  at = write_varint(at, known(dtype)->number);
  at = write_header(at, 2, shape_bytes);
  for (int64_t dim : shape.dims()) {
    at = write_header(at, 2, dim_bytes(dim));
    if (dim != 0) at = write_varint(write_varint(at, kDimSize), static_cast<uint64_t>(dim));
  }
}

size_t TensorWriter::size(const void* entries) const {
  size_t out = header_.size();
  if (count_ == 0) return out;
  if (dtype_ != DType::string) return out + field_bytes(count_ * dtype_size(dtype_));
  const Str* strings = static_cast<const Str*>(entries);
  for (size_t i = 0; i < count_; ++i) out += field_bytes(strings[i].size);
  return out;
}

void TensorWriter::write(const void* entries, char* to) const {
  char* at = write_bytes(to, header_.data(), header_.size());
  if (count_ == 0) return;
  if (dtype_ != DType::string) {
    write_field(at, kContentField, {static_cast<const char*>(entries), count_ * dtype_size(dtype_)});
    return;
  }
  const Str* strings = static_cast<const Str*>(entries);
  for (size_t i = 0; i < count_; ++i) at = write_field(at, kStringField, strings[i].view());
}

}  // namespace weir
