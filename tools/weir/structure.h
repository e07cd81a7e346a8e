// What elements are made of, for those who write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/weir.hpp"

namespace weir::command {

// A part of the structure: a tensor, or what has further parts.
struct Structure {
  struct Member;

  int32_t kind = WEIR_SPEC_TENSOR;
  // From the root, as in errors; empty for the root.
  std::string path;
  // As the notation writes it.
  std::string text;
  // Of a tensor; negative: unknown.
  int32_t dtype = 0;
  std::vector<int64_t> dims;
  bool any_rank = false;
  std::vector<Member> members;
  // Where its values begin in the flat list, and how many there are.
  uint32_t first = 0;
  uint32_t components = 0;

  // Its strings are JSON.
  bool json = false;
  // A dict of vectors that its source has as a list of objects.
  bool objects = false;

  bool is_dict() const { return kind == WEIR_SPEC_DICT; }
};

struct Structure::Member {
  std::string first;
  Structure second;
};

// What a source has in another form than its elements: keys with kBelow between them.
inline constexpr char kBelow = '\xff';
struct SourcePaths {
  // Of strings that are JSON, and of dicts that are lists of objects.
  std::vector<std::string> json;
  std::vector<std::string> objects;
};

Structure structure_of(const Spec& spec, const SourcePaths& source = {});
// A dict, which an element that is none becomes one of.
Structure as_dict(Structure value, std::string_view name);

// Throws invalid_argument: "expected EXPECTED, found FOUND in PATH of row ROW; HINT".
[[noreturn]] void refuse_value(const std::string& expected, const std::string& found, const Structure& where,
                               uint64_t row, const std::string& hint);

// Of a dict that is a list of objects: how many it has.
int64_t list_size(const Element& element, const Structure& value);

// "write a .npz or a folder instead": of the formats that have a place for every such value. A folder has.
std::string write_instead(const Structure& value);

// One value, or lists of them, as JSON.
void append_json(const weir_view& view, const Structure& where, uint64_t row, std::string& out);
// A value of any structure.
void append_json(const Element& element, const Structure& value, uint64_t row, std::string& out);

// Of a NumPy array: what its file begins with.
std::string npy_header(int32_t dtype, uint64_t string_bytes, const std::vector<int64_t>& dims);
// Whether there are arrays of it.
bool has_npy(int32_t dtype);

}  // namespace weir::command
