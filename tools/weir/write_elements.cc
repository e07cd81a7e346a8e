#include "write_elements.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/utf8.h"
#include "files.h"
#include "format/tar/tar_members.h"
#include "place.h"
#include "structure.h"

namespace weir::command {

namespace {

constexpr const char* kOtherFormats = "write a folder instead";

// Calls `take(element, number)` for each element, and returns how many there are.
uint64_t each_element(const Elements& elements, const std::function<void(const Element&, uint64_t)>& take) {
  uint64_t count = 0;
  each_row(
      elements.runtime, elements.rows, -1,
      [&](const Element& element) {
        take(element, count++);
        elements.progress.add(0);
        return true;
      },
      [](const Error& error) -> bool { throw error; });
  return count;
}

// Throws an Error of a key that JSON has no place for.
void check_keys(const Structure& value) {
  for (const auto& [key, member] : value.members) {
    if (value.is_dict() && !is_utf8(key))
      fail(WEIR_CODE_INVALID_ARGUMENT, concat("expected keys that are text, found ", quote(key),
                                              ", which is no UTF-8; rename it, or ", kOtherFormats));
    check_keys(member);
  }
}

size_t entries_of(const weir_view& view) {
  size_t out = 1;
  for (int32_t i = 0; i < view.rank; ++i) out *= static_cast<size_t>(view.dims[i]);
  return out;
}

std::string_view text_at(const weir_view& view, size_t i) {
  const weir_string& text = static_cast<const weir_string*>(view.data)[i];
  return {text.data, static_cast<size_t>(text.size)};
}

// ---- NumPy's arrays

// One array: what is the same in all rows, and what was found by looking at them.
struct Array {
  const Structure* value = nullptr;
  std::string name;
  // Of a row; known after the first.
  std::vector<int64_t> dims;
  bool seen = false;
  // The longest, since all strings of an array have one length.
  uint64_t string_bytes = 1;
  uint64_t row_bytes = 0;
  uint64_t rows = 0;
  uint32_t crc = 0;

  std::string header() const {
    std::vector<int64_t> shape = dims;
    shape.insert(shape.begin(), static_cast<int64_t>(rows));
    return npy_header(value->dtype, string_bytes, shape);
  }
  uint64_t bytes() const { return header().size() + rows * row_bytes; }

  void look_at(const weir_view& view, uint64_t row) {
    const std::vector<int64_t> found(view.dims, view.dims + view.rank);
    if (!seen) dims = found;
    seen = true;
    if (found != dims)
      refuse_value("rows of one shape", "another shape than before", *value, row, write_instead(*value));
    if (view.dtype != WEIR_DTYPE_STRING) {
      row_bytes = view.byte_size;
      return;
    }
    const size_t count = entries_of(view);
    for (size_t i = 0; i < count; ++i) {
      const std::string_view text = text_at(view, i);
      if (text.ends_with('\0'))
        refuse_value("strings that NumPy has", "one that ends with a zero", *value, row,
                     "write a .tfrecord or a folder instead");
      string_bytes = std::max<uint64_t>(string_bytes, text.size());
    }
    row_bytes = string_bytes * count;
  }

  // The bytes of a row, in `room` if they aren't there as they are needed.
  std::string_view bytes_of(const weir_view& view, std::string& room) const {
    if (view.dtype != WEIR_DTYPE_STRING)
      return {static_cast<const char*>(view.data), static_cast<size_t>(view.byte_size)};
    room.assign(static_cast<size_t>(row_bytes), '\0');
    const size_t count = entries_of(view);
    for (size_t i = 0; i < count; ++i) {
      const std::string_view text = text_at(view, i);
      std::copy(text.begin(), text.end(), room.begin() + static_cast<std::ptrdiff_t>(i * string_bytes));
    }
    return room;
  }
};

void add_arrays(const Structure& value, std::vector<Array>& out) {
  if (value.kind == WEIR_SPEC_DICT || value.kind == WEIR_SPEC_TUPLE) {
    for (const auto& [key, member] : value.members) add_arrays(member, out);
    return;
  }
  if (value.kind != WEIR_SPEC_TENSOR || !has_npy(value.dtype))
    fail(WEIR_CODE_INVALID_ARGUMENT,
         concat("expected tensors of dtypes that NumPy has, found ", value.text,
                value.path.empty() ? "" : " in " + value.path, "; ", write_instead(value)));
  Array array;
  array.value = &value;
  array.name = value.path.empty() ? "arr_0" : value.path;
  for (const int64_t dim : value.dims) array.dims.push_back(std::max<int64_t>(dim, 0));
  out.push_back(std::move(array));
}

void write_rows(const Elements& elements, const Array& array, NewFile& out) {
  std::string room;
  out.write(array.header());
  each_element(elements, [&](const Element& element, uint64_t) {
    out.write(array.bytes_of(element.view(array.value->first), room));
  });
}

// Little-endian numbers, one after the other.
class Fields {
 public:
  template <class T>
  Fields& add(uint64_t number) {
    for (size_t i = 0; i < sizeof(T); ++i) bytes_ += static_cast<char>(number >> (8 * i) & 255);
    return *this;
  }
  Fields& add(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

constexpr uint64_t kMost32 = 0xffffffff;

// What an archive says of a member before its bytes, and again in its directory.
std::string member_header(const Array& array, uint64_t offset, bool directory) {
  constexpr uint64_t kUtf8Name = 0x800;
  constexpr uint64_t kDate1980 = 0x21;
  const std::string name = array.name + ".npy";
  const uint64_t bytes = array.bytes();
  const bool large = bytes >= kMost32;
  const bool far = directory && offset >= kMost32;
  Fields extra;
  if (large || far) extra.add<uint16_t>(1).add<uint16_t>((large ? 16 : 0) + (far ? 8 : 0));
  if (large) extra.add<uint64_t>(bytes).add<uint64_t>(bytes);
  if (far) extra.add<uint64_t>(offset);
  const uint64_t version = large || far ? 45 : 20;
  Fields out;
  out.add(directory ? "PK\x01\x02" : "PK\x03\x04");
  if (directory) out.add<uint16_t>(version);
  out.add<uint16_t>(version).add<uint16_t>(kUtf8Name).add<uint16_t>(0).add<uint16_t>(0);
  out.add<uint16_t>(kDate1980).add<uint32_t>(array.crc);
  out.add<uint32_t>(large ? kMost32 : bytes).add<uint32_t>(large ? kMost32 : bytes);
  out.add<uint16_t>(name.size()).add<uint16_t>(extra.bytes().size());
  if (directory) {
    out.add<uint16_t>(0).add<uint16_t>(0).add<uint16_t>(0).add<uint32_t>(0);
    out.add<uint32_t>(far ? kMost32 : offset);
  }
  return out.add(name).add(extra.bytes()).bytes();
}

std::string archive_end(uint64_t count, uint64_t directory_at, uint64_t directory_bytes) {
  constexpr uint64_t kMost16 = 0xffff;
  const bool large = directory_at >= kMost32 || directory_bytes >= kMost32 || count >= kMost16;
  Fields out;
  if (large) {
    const uint64_t at = directory_at + directory_bytes;
    out.add("PK\x06\x06")
        .add<uint64_t>(44)
        .add<uint16_t>(45)
        .add<uint16_t>(45)
        .add<uint32_t>(0)
        .add<uint32_t>(0);
    out.add<uint64_t>(count).add<uint64_t>(count).add<uint64_t>(directory_bytes).add<uint64_t>(directory_at);
    out.add("PK\x06\x07").add<uint32_t>(0).add<uint64_t>(at).add<uint32_t>(1);
  }
  out.add("PK\x05\x06").add<uint16_t>(0).add<uint16_t>(0);
  out.add<uint16_t>(large ? kMost16 : count).add<uint16_t>(large ? kMost16 : count);
  out.add<uint32_t>(large ? kMost32 : directory_bytes).add<uint32_t>(large ? kMost32 : directory_at);
  return out.add<uint16_t>(0).bytes();
}

// Their checksums stand before the bytes.
void sum_up(const Elements& elements, std::vector<Array>& arrays) {
  const auto add = [](uint32_t crc, std::string_view bytes) {
    return static_cast<uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  };
  for (Array& array : arrays) array.crc = add(0, array.header());
  std::string room;
  each_element(elements, [&](const Element& element, uint64_t) {
    for (Array& array : arrays)
      array.crc = add(array.crc, array.bytes_of(element.view(array.value->first), room));
  });
}

void write_npz(const Elements& elements, std::vector<Array>& arrays, NewFile& out) {
  sum_up(elements, arrays);
  std::string directory;
  uint64_t offset = 0;
  for (const Array& array : arrays) {
    const std::string header = member_header(array, offset, false);
    directory += member_header(array, offset, true);
    out.write(header);
    write_rows(elements, array, out);
    offset += header.size() + array.bytes();
  }
  out.write(directory);
  out.write(archive_end(arrays.size(), offset, directory.size()));
}

// ---- archives

constexpr size_t kTarName = 100;

void put_octal(std::string& header, size_t at, size_t digits, uint64_t value) {
  for (size_t i = digits; i-- > 0; value >>= 3) header[at + i] = static_cast<char>('0' + (value & 7));
}

void write_member(const std::string& name, std::string_view bytes, const Structure& where, uint64_t row,
                  NewFile& out) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 33;
  if (name.size() > kTarName)
    refuse_value(concat("names of members of at most ", kTarName, " bytes"), quote(name), where, row,
                 kOtherFormats);
  if (bytes.size() >= kMostBytes)
    refuse_value("members of less than 8 GiB", "a longer one", where, row, kOtherFormats);
  std::string header(kTarBlock, '\0');
  header.replace(0, name.size(), name);
  put_octal(header, 100, 7, 0644);
  put_octal(header, 108, 7, 0);
  put_octal(header, 116, 7, 0);
  put_octal(header, 124, 11, bytes.size());
  put_octal(header, 136, 11, 0);
  header[156] = '0';
  header.replace(257, 8, std::string("ustar\00000", 8));
  header.replace(148, 8, 8, ' ');
  uint64_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put_octal(header, 148, 6, sum);
  header[154] = '\0';
  out.write(header);
  out.write(bytes);
  out.write(std::string((kTarBlock - bytes.size() % kTarBlock) % kTarBlock, '\0'));
}

// What a member of an archive has of a value.
std::string_view member_bytes(const Element& element, const Structure& value, uint64_t row,
                              std::string& room) {
  room.clear();
  if (value.kind == WEIR_SPEC_TENSOR) {
    const weir_view view = element.view(value.first);
    if (view.dtype == WEIR_DTYPE_STRING && view.rank == 0) return text_at(view, 0);
    if (view.rank > 0 && has_npy(view.dtype) && view.dtype != WEIR_DTYPE_STRING) {
      room = npy_header(view.dtype, 0, std::vector<int64_t>(view.dims, view.dims + view.rank));
      room.append(static_cast<const char*>(view.data), static_cast<size_t>(view.byte_size));
      return room;
    }
  }
  append_json(element, value, row, room);
  return room;
}

// Whether readers find a member of this key and name, and as which extension.
bool find_extension(std::string_view key, std::string_view name, std::string& extension) {
  const std::string path = concat(key, ".", name);
  std::string_view found;
  return !name.empty() && path.find('\0') == path.npos && split_member_path(path, found, extension) &&
         found == key;
}

bool is_member(const std::string& name) { return name != "__key__" && name != "__url__"; }

// Throws an Error of a column that readers would miss, or take for another.
void check_extensions(const Structure& root) {
  std::set<std::string> found;
  std::string extension;
  for (const auto& [name, member] : root.members) {
    if (!is_member(name)) continue;
    if (!find_extension("0", name, extension))
      fail(WEIR_CODE_INVALID_ARGUMENT, concat("expected columns whose names can be extensions, found ",
                                              quote(name), "; rename it, or ", kOtherFormats));
    if (!found.insert(extension).second)
      fail(WEIR_CODE_INVALID_ARGUMENT,
           concat("expected extensions that differ in lower case, found two columns ", quote(extension),
                  "; rename one, or ", kOtherFormats));
  }
}

// The name that the members of an element have before their extensions.
std::string key_of(const Element& element, const Structure& root, uint64_t row) {
  for (const auto& [name, member] : root.members) {
    if (name != "__key__") continue;
    const bool optional = member.kind == WEIR_SPEC_OPTIONAL;
    if (optional && !element.get<bool>(member.first))
      refuse_value("a key", "none", member, row, "give each row one, or leave __key__ out for their numbers");
    const Structure& value = optional ? member.members[0].second : member;
    if (value.kind != WEIR_SPEC_TENSOR || element.view(value.first).rank != 0)
      refuse_value("a string or a number", value.text, member, row, "choose other keys");
    std::string room;
    std::string extension;
    const std::string key(member_bytes(element, value, row, room));
    if (!find_extension(key, "x", extension))
      refuse_value(
          "a path whose last part is not empty and has no dots, without zero bytes and parts like __this__",
          quote(key), member, row, "choose other keys");
    return key;
  }
  char number[32];
  std::snprintf(number, sizeof number, "%08llu", static_cast<unsigned long long>(row));
  return number;
}

// Returns how many members it has.
size_t write_element(const Element& element, const Structure& root, const std::string& key, uint64_t row,
                     NewFile& out) {
  std::string room;
  size_t count = 0;
  for (const auto& [name, member] : root.members) {
    if (!is_member(name)) continue;
    const bool optional = member.kind == WEIR_SPEC_OPTIONAL;
    if (optional && !element.get<bool>(member.first)) continue;
    const Structure& value = optional ? member.members[0].second : member;
    write_member(key + "." + name, member_bytes(element, value, row, room), value, row, out);
    ++count;
  }
  return count;
}

}  // namespace

uint64_t write_objects(const Elements& elements, const std::string& to) {
  const Structure root = as_dict(structure_of(elements.rows.spec(), elements.source), elements.name);
  check_keys(root);
  NewFile out(elements.runtime, to, WEIR_RECORD_WRITER_PLAIN);
  std::string line;
  const uint64_t count = each_element(elements, [&](const Element& element, uint64_t row) {
    line.clear();
    append_json(element, root, row, line);
    line += '\n';
    out.write(line);
  });
  out.finish();
  return count;
}

uint64_t write_arrays(const Elements& elements, const std::string& to, bool single) {
  const Structure root = structure_of(elements.rows.spec());
  std::vector<Array> arrays;
  add_arrays(root, arrays);
  if (arrays.empty() || (single && arrays.size() > 1))
    fail(WEIR_CODE_INVALID_ARGUMENT, concat("expected elements ", single ? "of one tensor" : "with values",
                                            ", found ", arrays.size(), " values per element; write a ",
                                            arrays.empty() ? ".jsonl or a folder instead" : ".npz instead"));
  std::set<std::string_view> names;
  for (const Array& array : arrays) {
    if (!single && array.value->path.empty() && root.kind != WEIR_SPEC_TENSOR)
      fail(WEIR_CODE_INVALID_ARGUMENT,
           concat("expected names of arrays, found \"\"; rename it, or ", kOtherFormats));
    if (!names.insert(array.name).second)
      refuse_value("values of different names", concat(quote(array.name), " twice"), root, 0,
                   "rename one of them");
  }
  const uint64_t count = each_element(elements, [&](const Element& element, uint64_t row) {
    for (Array& array : arrays) array.look_at(element.view(array.value->first), row);
  });
  for (Array& array : arrays) {
    array.rows = count;
    if (array.value->dtype != WEIR_DTYPE_STRING) continue;
    array.row_bytes = array.string_bytes;
    for (const int64_t dim : array.dims) array.row_bytes *= static_cast<uint64_t>(dim);
  }
  NewFile out(elements.runtime, to, WEIR_RECORD_WRITER_PLAIN);
  if (single) {
    write_rows(elements, arrays[0], out);
  } else {
    write_npz(elements, arrays, out);
  }
  out.finish();
  return count;
}

uint64_t write_archive(const Elements& elements, const std::string& to) {
  const Structure root = as_dict(structure_of(elements.rows.spec(), elements.source),
                                 elements.name == "line" ? "txt" : elements.name);
  check_extensions(root);
  for (const auto& [name, member] : root.members) check_keys(member);
  NewFile out(elements.runtime, to, WEIR_RECORD_WRITER_PLAIN);
  std::string last;
  const uint64_t count = each_element(elements, [&](const Element& element, uint64_t row) {
    std::string key = key_of(element, root, row);
    if (key == last)
      refuse_value("another key for each element", quote(key) + " twice", root, row, "choose other keys");
    if (write_element(element, root, key, row, out) == 0)
      fail(WEIR_CODE_INVALID_ARGUMENT, concat("expected a value in each row of ", to,
                                              ", where a row without one would be lost, found none in row ",
                                              row, "; leave it out, or ", kOtherFormats));
    last = std::move(key);
  });
  out.write(std::string(2 * kTarBlock, '\0'));
  out.finish();
  return count;
}

}  // namespace weir::command
