#include "structure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/text.h"
#include "core/utf8.h"

namespace weir::command {

namespace {

bool has(const std::vector<std::string>& all, const std::string& place) {
  return std::find(all.begin(), all.end(), place) != all.end();
}

// `place`: the path as `source` has it.
Structure read_structure(const Spec& spec, const std::string& path, const std::string& place,
                         const SourcePaths& source, uint32_t& next) {
  const weir_spec_info info = spec.info();
  Structure out;
  out.kind = info.kind;
  out.text = spec.text();
  out.path = path;
  out.dtype = info.dtype;
  out.first = next;
  out.json = has(source.json, place);
  out.objects = info.kind == WEIR_SPEC_DICT && has(source.objects, place);
  const std::string dot = path.empty() ? "" : path + ".";
  switch (info.kind) {
    case WEIR_SPEC_TUPLE:
    case WEIR_SPEC_DICT:
      for (uint32_t i = 0; i < info.child_count; ++i) {
        const std::string key = info.kind == WEIR_SPEC_DICT ? spec.key(i) : std::to_string(i);
        out.members.push_back(
            {key, read_structure(spec.child(i), dot + key, place + kBelow + key, source, next)});
      }
      break;
    case WEIR_SPEC_OPTIONAL:
      ++next;
      out.members.push_back({"", read_structure(spec.child(0), path, place, source, next)});
      break;
    case WEIR_SPEC_SPARSE:
      next += 3;
      break;
    case WEIR_SPEC_RAGGED:
      if (info.rank > 0) out.dims.assign(info.dims, info.dims + info.rank);
      next += 2;
      break;
    default:
      if (info.rank > 0) out.dims.assign(info.dims, info.dims + info.rank);
      out.any_rank = info.rank < 0;
      ++next;
  }
  out.components = next - out.first;
  return out;
}

template <class T>
void append_number(T value, std::string& out) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {
      out += "NaN";
      return;
    }
    if (std::isinf(value)) {
      out += value < 0 ? "-Infinity" : "Infinity";
      return;
    }
  }
  std::array<char, 40> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const std::string_view digits(text.data(), static_cast<size_t>(end - text.data()));
  out += digits;
  // Else it reads like an integer.
  if (std::is_floating_point_v<T> && digits.find_first_of(".e") == digits.npos) out += ".0";
}

template <class T>
void append_entry(const weir_view& view, size_t i, std::string& out) {
  append_number(static_cast<const T*>(view.data)[i], out);
}

void append_entry(const weir_view& view, size_t i, const Structure& where, uint64_t row, std::string& out) {
  switch (view.dtype) {
    case WEIR_DTYPE_BOOL:
      out += static_cast<const uint8_t*>(view.data)[i] != 0 ? "true" : "false";
      return;
    case WEIR_DTYPE_INT8:
      return append_number(int{static_cast<const int8_t*>(view.data)[i]}, out);
    case WEIR_DTYPE_INT16:
      return append_entry<int16_t>(view, i, out);
    case WEIR_DTYPE_INT32:
      return append_entry<int32_t>(view, i, out);
    case WEIR_DTYPE_INT64:
      return append_entry<int64_t>(view, i, out);
    case WEIR_DTYPE_UINT8:
      return append_number(int{static_cast<const uint8_t*>(view.data)[i]}, out);
    case WEIR_DTYPE_UINT16:
      return append_entry<uint16_t>(view, i, out);
    case WEIR_DTYPE_UINT32:
      return append_entry<uint32_t>(view, i, out);
    case WEIR_DTYPE_UINT64:
      return append_entry<uint64_t>(view, i, out);
    case WEIR_DTYPE_FLOAT32:
      return append_entry<float>(view, i, out);
    case WEIR_DTYPE_FLOAT64:
      return append_entry<double>(view, i, out);
    case WEIR_DTYPE_STRING: {
      const weir_string& text = static_cast<const weir_string*>(view.data)[i];
      const std::string_view bytes(text.data, static_cast<size_t>(text.size));
      if (!is_utf8(bytes))
        refuse_value("text", "bytes that are no UTF-8", where, row, "write a .tfrecord or a folder instead");
      out += where.json ? std::string(bytes) : json_string(bytes);
      return;
    }
    default:
      refuse_value("numbers of dtypes that JSON has, and strings", where.text, where, row,
                   write_instead(where));
  }
}

// The entries from `at` on as lists of the dimensions from `dim` on.
void append_lists(const weir_view& view, int32_t dim, size_t& at, const Structure& where, uint64_t row,
                  std::string& out) {
  if (dim == view.rank) return append_entry(view, at++, where, row, out);
  out += '[';
  for (int64_t i = 0; i < view.dims[dim]; ++i) {
    if (i > 0) out += ", ";
    append_lists(view, dim + 1, at, where, row, out);
  }
  out += ']';
}

void append_ragged(const Element& element, const Structure& value, uint64_t row, std::string& out) {
  const weir_view values = element.view(value.first);
  const weir_view splits = element.view(value.first + 1);
  const auto* const ends = static_cast<const int64_t*>(splits.data);
  size_t at = 0;
  out += '[';
  for (int64_t i = 1; i < splits.dims[0]; ++i) {
    out += i > 1 ? ", [" : "[";
    for (int64_t entry = ends[i - 1]; entry < ends[i]; ++entry) {
      if (entry > ends[i - 1]) out += ", ";
      append_lists(values, 1, at, value, row, out);
    }
    out += ']';
  }
  out += ']';
}

// Entry i of each member in object i.
void append_objects(const Element& element, const Structure& value, uint64_t row, std::string& out) {
  const int64_t count = list_size(element, value);
  out += '[';
  for (int64_t i = 0; i < count; ++i) {
    out += i > 0 ? ", {" : "{";
    for (const auto& [key, member] : value.members) {
      if (&key != &value.members[0].first) out += ", ";
      out += json_string(key) + ": ";
      const weir_view values = element.view(member.first);
      if (member.kind != WEIR_SPEC_RAGGED) {
        append_entry(values, static_cast<size_t>(i), member, row, out);
        continue;
      }
      const auto* const ends = static_cast<const int64_t*>(element.view(member.first + 1).data);
      out += '[';
      for (int64_t entry = ends[i]; entry < ends[i + 1]; ++entry) {
        if (entry > ends[i]) out += ", ";
        append_entry(values, static_cast<size_t>(entry), member, row, out);
      }
      out += ']';
    }
    out += '}';
  }
  out += ']';
}

// One of a vector whose entries are all there is a list.
void append_sparse(const Element& element, const Structure& value, uint64_t row, std::string& out) {
  const weir_view values = element.view(value.first + 1);
  const weir_view shape = element.view(value.first + 2);
  if (shape.dims[0] != 1 || *static_cast<const int64_t*>(shape.data) != values.dims[0])
    refuse_value("values that JSON has", "a sparse tensor", value, row,
                 "make it dense, or write a folder instead");
  append_json(values, value, row, out);
}

struct NumpyType {
  int32_t dtype;
  std::string_view name;
};
constexpr std::array<NumpyType, 15> kNumpyTypes = {{{WEIR_DTYPE_BOOL, "|b1"},
                                                    {WEIR_DTYPE_INT8, "|i1"},
                                                    {WEIR_DTYPE_INT16, "<i2"},
                                                    {WEIR_DTYPE_INT32, "<i4"},
                                                    {WEIR_DTYPE_INT64, "<i8"},
                                                    {WEIR_DTYPE_UINT8, "|u1"},
                                                    {WEIR_DTYPE_UINT16, "<u2"},
                                                    {WEIR_DTYPE_UINT32, "<u4"},
                                                    {WEIR_DTYPE_UINT64, "<u8"},
                                                    {WEIR_DTYPE_FLOAT16, "<f2"},
                                                    {WEIR_DTYPE_FLOAT32, "<f4"},
                                                    {WEIR_DTYPE_FLOAT64, "<f8"},
                                                    {WEIR_DTYPE_COMPLEX64, "<c8"},
                                                    {WEIR_DTYPE_COMPLEX128, "<c16"},
                                                    {WEIR_DTYPE_STRING, "|S"}}};

const NumpyType* numpy_type(int32_t dtype) {
  const auto* const found = std::find_if(kNumpyTypes.begin(), kNumpyTypes.end(),
                                         [&](const NumpyType& type) { return type.dtype == dtype; });
  return found == kNumpyTypes.end() ? nullptr : found;
}

}  // namespace

Structure structure_of(const Spec& spec, const SourcePaths& source) {
  uint32_t next = 0;
  return read_structure(spec, "", "", source, next);
}

Structure as_dict(Structure value, std::string_view name) {
  if (value.is_dict()) return value;
  Structure out;
  out.kind = WEIR_SPEC_DICT;
  out.components = value.components;
  out.members.push_back({std::string(name), std::move(value)});
  return out;
}

void refuse_value(const std::string& expected, const std::string& found, const Structure& where, uint64_t row,
                  const std::string& hint) {
  throw Error(WEIR_CODE_INVALID_ARGUMENT,
              concat("expected ", expected, ", found ", found, where.path.empty() ? "" : " in " + where.path,
                     " of row ", row, "; ", hint));
}

std::string write_instead(const Structure& value) {
  const bool optional = value.kind == WEIR_SPEC_OPTIONAL;
  const Structure& inner = optional ? value.members[0].second : value;
  const bool dense = inner.kind == WEIR_SPEC_TENSOR;
  const bool fixed = std::all_of(inner.dims.begin(), inner.dims.end(), [](int64_t dim) { return dim >= 0; });
  const bool complex = inner.dtype == WEIR_DTYPE_COMPLEX64 || inner.dtype == WEIR_DTYPE_COMPLEX128;
  std::string formats;
  if (complex) {
    if (dense && fixed && !inner.any_rank && !optional) formats = "a .npz or ";
  } else if (has_npy(inner.dtype) && (dense || inner.kind == WEIR_SPEC_RAGGED)) {
    const bool half = inner.dtype == WEIR_DTYPE_FLOAT16;
    if (!inner.any_rank) formats = "a .parquet or ";
    if (!half) {
      const char* const other = inner.dtype == WEIR_DTYPE_STRING ? "a .tfrecord" : "a .jsonl";
      formats = concat(other, formats.empty() ? " or " : ", ", formats);
    }
  }
  return concat("write ", formats, "a folder instead");
}

void append_json(const weir_view& view, const Structure& where, uint64_t row, std::string& out) {
  size_t at = 0;
  append_lists(view, 0, at, where, row, out);
}

void append_json(const Element& element, const Structure& value, uint64_t row, std::string& out) {
  switch (value.kind) {
    case WEIR_SPEC_DICT:
    case WEIR_SPEC_TUPLE: {
      if (value.objects) return append_objects(element, value, row, out);
      out += value.is_dict() ? '{' : '[';
      const char* comma = "";
      for (const auto& [key, member] : value.members) {
        out += comma;
        comma = ", ";
        if (value.is_dict()) out += json_string(key) + ": ";
        append_json(element, member, row, out);
      }
      out += value.is_dict() ? '}' : ']';
      return;
    }
    case WEIR_SPEC_OPTIONAL:
      if (!element.get<bool>(value.first)) {
        out += "null";
        return;
      }
      return append_json(element, value.members[0].second, row, out);
    case WEIR_SPEC_RAGGED:
      return append_ragged(element, value, row, out);
    case WEIR_SPEC_SPARSE:
      return append_sparse(element, value, row, out);
    case WEIR_SPEC_DATASET:
      refuse_value("values", "a dataset", value, row, "read it by flat_map first");
    default:
      append_json(element.view(value.first), value, row, out);
  }
}

int64_t list_size(const Element& element, const Structure& value) {
  const Structure& first = value.members[0].second;
  return first.kind == WEIR_SPEC_RAGGED ? element.view(first.first + 1).dims[0] - 1
                                        : element.view(first.first).dims[0];
}

bool has_npy(int32_t dtype) { return numpy_type(dtype) != nullptr; }

std::string npy_header(int32_t dtype, uint64_t string_bytes, const std::vector<int64_t>& dims) {
  constexpr size_t kAlignment = 64;
  constexpr size_t kBefore = 10;
  std::string text = concat("{'descr': '", numpy_type(dtype)->name);
  if (dtype == WEIR_DTYPE_STRING) text += std::to_string(string_bytes);
  text += "', 'fortran_order': False, 'shape': (";
  for (const int64_t dim : dims) text += std::to_string(dim) + ", ";
  if (dims.size() > 1) text.resize(text.size() - 2);
  if (dims.size() == 1) text.pop_back();
  text += "), }";
  text.resize((kBefore + text.size() + kAlignment) / kAlignment * kAlignment - kBefore - 1, ' ');
  text += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(text.size() & 255);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

}  // namespace weir::command
