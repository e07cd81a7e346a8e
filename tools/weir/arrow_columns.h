// Elements as columns of Arrow's C data interface.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/tables/arrow_abi.h"
#include "structure.h"
#include "weir/weir.hpp"

namespace weir::command {

// A column that is being filled. A dict is a struct, or a list of structs where its source has a list of
// objects; a dimension is a list, of a fixed size where that is known; a ragged tensor a list of lists, and
// so on. What may be missing is nullable.
class ArrowColumn {
 public:
  // `binary`: by number of a component, whether its strings are bytes and no text. Throws an Error where
  // Arrow has no place for such values.
  ArrowColumn(const Structure& value, std::string name, const std::vector<bool>& binary);

  // Appends the value of an element. Throws an Error where Arrow has no place for it.
  void add(const Element& element, const Structure& value, uint64_t row);
  int64_t length() const { return length_; }
  uint64_t byte_size() const;

  // Belongs to the caller.
  ArrowSchema schema() const;
  // What was appended; it belongs to the caller, and the column is empty.
  ArrowArray take();

 private:
  struct Schema;
  struct Array;

  ArrowColumn() = default;
  void become(const Structure& value, const std::vector<bool>& binary);
  void become_objects(const Structure& value, const std::vector<bool>& binary);
  void become_lists(const Structure& value, const std::vector<int64_t>& dims, bool is_binary);
  void add_lists(const weir_view& view, int32_t dim, size_t& at, const Structure& value, uint64_t row);
  void add_entries(const weir_view& view, size_t at, size_t count, const Structure& value, uint64_t row);
  void add_objects(const Element& element, const Structure& value, uint64_t row);
  void add_ragged(const Element& element, const Structure& value, uint64_t row);
  void add_missing();
  void end_list(const Structure& value, uint64_t row);
  void count(size_t entries, bool there);
  bool is_leaf() const { return children_.empty() && format_[0] != '+'; }
  bool is_text() const { return format_ == "u" || format_ == "z"; }

  std::string name_;
  // As Arrow writes a type.
  std::string format_;
  bool nullable_ = false;
  // Of an entry of numbers, or how many entries a list of a fixed size has.
  size_t width_ = 0;
  std::vector<ArrowColumn> children_;

  int64_t length_ = 0;
  int64_t missing_ = 0;
  // Bits, if it is nullable.
  std::string there_;
  // Of lists and strings, from 0 on.
  std::vector<int32_t> ends_{0};
  std::string bytes_;
};

}  // namespace weir::command
