// Arrow columns that go in: without a copy where there is one chunk of numbers.
#include <cstring>

#include "arrow.h"
#include "tensor.h"

namespace weirpy {

namespace {

void release_chunk(void* array) {
  auto* chunk = static_cast<ArrowArray*>(array);
  if (chunk->release) chunk->release(chunk);
  delete chunk;
}

struct Release {
  void operator()(ArrowArray* array) const { release_chunk(array); }
};
using Chunk = std::unique_ptr<ArrowArray, Release>;

struct Numbers {
  char format;
  int32_t dtype;
  size_t size;
};
constexpr Numbers kNumbers[] = {
    {'c', WEIR_DTYPE_INT8, 1},    {'s', WEIR_DTYPE_INT16, 2},  {'i', WEIR_DTYPE_INT32, 4},
    {'l', WEIR_DTYPE_INT64, 8},   {'C', WEIR_DTYPE_UINT8, 1},  {'S', WEIR_DTYPE_UINT16, 2},
    {'I', WEIR_DTYPE_UINT32, 4},  {'L', WEIR_DTYPE_UINT64, 8}, {'e', WEIR_DTYPE_FLOAT16, 2},
    {'f', WEIR_DTYPE_FLOAT32, 4}, {'g', WEIR_DTYPE_FLOAT64, 8}};

// What a column holds: the innermost type below lists of fixed size.
struct Column {
  std::vector<int64_t> dims;  // after the rows
  std::string_view format;
  const Numbers* numbers = nullptr;

  bool strings() const { return format == "u" || format == "z" || format == "U" || format == "Z"; }
  bool bits() const { return format == "b"; }
};

// False for types that have no tensor.
bool describe(const ArrowSchema& schema, Column& out) {
  const ArrowSchema* at = &schema;
  while (std::string_view(at->format).starts_with("+w:")) {
    out.dims.push_back(std::stoll(at->format + 3));
    at = at->children[0];
  }
  if (at->dictionary) return false;
  out.format = at->format;
  const std::string_view format = out.format;
  for (const Numbers& numbers : kNumbers) {
    if (format.size() == 1 && format[0] == numbers.format) out.numbers = &numbers;
  }
  // Dates and durations of other units than nanoseconds are converted by NumPy.
  if (format.starts_with("tsn") || format == "tDn") out.numbers = &kNumbers[3];
  return out.numbers || out.strings() || out.bits();
}

// The innermost array of a chunk, and where its entries begin and how many there are.
struct Entries {
  const ArrowArray* array;
  int64_t first;
  int64_t count;
};

Entries entries_of(const ArrowArray& chunk, const Column& column) {
  Entries out = {&chunk, chunk.offset, chunk.length};
  for (int64_t size : column.dims) {
    if (out.array->null_count != 0 && out.array->buffers[0]) break;
    const ArrowArray* child = out.array->children[0];
    out = {child, child->offset + out.first * size, out.count * size};
  }
  if (out.array->null_count != 0 && out.array->buffers[0]) {
    throw nb::value_error("the column has missing values; fill them or drop their rows first");
  }
  return out;
}

template <class Offset>
void add_strings(const Entries& from, std::vector<weir_string>& out) {
  const auto* offsets = static_cast<const Offset*>(from.array->buffers[1]) + from.first;
  const auto* data = static_cast<const char*>(from.array->buffers[2]);
  for (int64_t i = 0; i < from.count; ++i) {
    out.push_back({data + offsets[i], static_cast<uint64_t>(offsets[i + 1] - offsets[i])});
  }
}

Tensor copied(int32_t dtype, const std::vector<int64_t>& dims, const void* data, uint64_t size) {
  Tensor out;
  Error error;
  check(weir_tensor_copy(dtype, static_cast<int32_t>(dims.size()), dims.data(), data, size, out.handle.out(),
                         error),
        error);
  return out;
}

Tensor of_strings(const std::vector<Chunk>& chunks, const Column& column, const std::vector<int64_t>& dims) {
  std::vector<weir_string> entries;
  for (const Chunk& chunk : chunks) {
    const Entries from = entries_of(*chunk, column);
    const bool wide = column.format == "U" || column.format == "Z";
    wide ? add_strings<int64_t>(from, entries) : add_strings<int32_t>(from, entries);
  }
  return copied(WEIR_DTYPE_STRING, dims, entries.data(), entries.size() * sizeof(weir_string));
}

Tensor of_bits(const std::vector<Chunk>& chunks, const Column& column, const std::vector<int64_t>& dims) {
  std::vector<uint8_t> bytes;
  for (const Chunk& chunk : chunks) {
    const Entries from = entries_of(*chunk, column);
    const auto* bits = static_cast<const uint8_t*>(from.array->buffers[1]);
    for (int64_t i = from.first; i < from.first + from.count; ++i)
      bytes.push_back((bits[i / 8] >> (i % 8)) & 1);
  }
  return copied(WEIR_DTYPE_BOOL, dims, bytes.data(), bytes.size());
}

Tensor of_numbers(std::vector<Chunk>& chunks, const Column& column, const std::vector<int64_t>& dims) {
  const size_t size = column.numbers->size;
  const auto begin = [&](const Entries& from) {
    return static_cast<const uint8_t*>(from.array->buffers[1]) + static_cast<size_t>(from.first) * size;
  };
  if (chunks.size() == 1) {
    const Entries from = entries_of(*chunks[0], column);
    const uint8_t* data = begin(from);
    if (from.count > 0 && reinterpret_cast<uintptr_t>(data) % size == 0) {
      Tensor out;
      Error error;
      check(weir_tensor_wrap(column.numbers->dtype, static_cast<int32_t>(dims.size()), dims.data(), data,
                             static_cast<uint64_t>(from.count) * size, release_chunk, chunks[0].release(),
                             out.handle.out(), error),
            error);
      return out;
    }
  }
  std::vector<uint8_t> joined;
  for (const Chunk& chunk : chunks) {
    const Entries from = entries_of(*chunk, column);
    if (from.count > 0)
      joined.insert(joined.end(), begin(from), begin(from) + static_cast<size_t>(from.count) * size);
  }
  return copied(column.numbers->dtype, dims, joined.data(), joined.size());
}

nb::object tensor_of(const ArrowSchema& schema, std::vector<Chunk> chunks) {
  Column column;
  if (!describe(schema, column)) return nb::none();
  std::vector<int64_t> dims = {0};
  for (const Chunk& chunk : chunks) dims[0] += chunk->length;
  dims.insert(dims.end(), column.dims.begin(), column.dims.end());
  if (column.strings()) return nb::cast(of_strings(chunks, column, dims));
  if (column.bits()) return nb::cast(of_bits(chunks, column, dims));
  return nb::cast(of_numbers(chunks, column, dims));
}

nb::object from_stream(nb::object capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (!stream) throw nb::python_error();
  ArrowSchema schema = {};
  std::vector<Chunk> chunks;
  const auto read = [&](int result) {
    if (result == 0) return;
    const char* text = stream->get_last_error(stream);
    throw nb::value_error(text ? text : "the Arrow stream failed");
  };
  read(stream->get_schema(stream, &schema));
  for (;;) {
    Chunk chunk(new ArrowArray{});
    read(stream->get_next(stream, chunk.get()));
    if (!chunk->release) break;
    chunks.push_back(std::move(chunk));
  }
  nb::object out = tensor_of(schema, std::move(chunks));
  if (schema.release) schema.release(&schema);
  return out;
}

nb::object from_array(nb::object pair) {
  nb::object described = pair[0], held = pair[1];
  auto* schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(described.ptr(), "arrow_schema"));
  auto* array = static_cast<ArrowArray*>(PyCapsule_GetPointer(held.ptr(), "arrow_array"));
  if (!schema || !array) throw nb::python_error();
  std::vector<Chunk> chunks;
  chunks.emplace_back(new ArrowArray(*array));
  array->release = nullptr;
  return tensor_of(*schema, std::move(chunks));
}

// A tensor of a column, or None for a type that has none.
nb::object from_arrow(nb::object column) {
  if (nb::hasattr(column, "__arrow_c_array__")) return from_array(column.attr("__arrow_c_array__")());
  return from_stream(column.attr("__arrow_c_stream__")());
}

}  // namespace

void define_arrow_in(nb::module_& module) { module.def("from_arrow", from_arrow, nb::arg("column")); }

}  // namespace weirpy
