// FieldColumns: rows of fields, gathered by a reader into the memory that their columns are made of.
//
//   columns.begin(max_rows);
//   columns.start_row();
//   FieldNode& node = …;                       // one of columns.fields(), by the reader's own look-up
//   columns.found(node, columns.stamp());      // then fill it: node.place(row), or node.entries
//   FieldFault fault;
//   if (columns.finish_row(fault)) … else columns.add_failed(error of describe(fault));
//   columns.finish(sink);
//
// A field that was found twice in a row is filled again from the beginning: the last value counts. What was
// not found, or is null, is made of defaults. Not thread-safe. Costs no allocation per row once the memory
// has grown.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/block.h"
#include "format/fields.h"

namespace weir {

// FieldEntries of one size, in memory that grows.
class FieldEntries {
 public:
  void set_width(size_t width) { width_ = width; }
  size_t size() const { return size_; }
  const uint8_t* data() const { return data_.get(); }
  void truncate(size_t size) { size_ = size; }
  // Room for one more entry.
  uint8_t* push() {
    if (size_ == capacity_) [[unlikely]]
      grow(size_ + 1);
    return data_.get() + width_ * size_++;
  }
  void push_zeros(size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    if (count > 0) std::memset(data_.get() + width_ * size_, 0, width_ * count);
    size_ += count;
  }
  // FieldEntries [begin, begin + count), whose memory is there from now on.
  uint8_t* at(size_t begin, size_t count) {
    if (begin + count > capacity_) [[unlikely]]
      grow(begin + count);
    return data_.get() + width_ * begin;
  }
  // Memory for so many more.
  uint8_t* extend(size_t count) {
    uint8_t* const out = at(size_, count);
    size_ += count;
    return out;
  }
  // Gives up memory that a row much longer than others left.
  void clear();

 private:
  void grow(size_t least);

  std::unique_ptr<uint8_t[]> data_;
  size_t width_ = 1;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

struct FieldNode;

// Why a field has no value. `what` and `found` are constants or views of the text that was read.
struct FieldFault {
  const FieldNode* node = nullptr;
  const char* wrong = nullptr;  // null: there is none
  std::string_view found = {};
  // A default would mend it.
  bool absent = false;
  // Of a list, if its length is wrong.
  int64_t expected_count = -1;
  int64_t found_count = 0;
};

// A field, and its values in the rows so far.
struct FieldNode {
  enum class State : uint8_t { null, value, wrong };

  FieldNode(FieldType field, const std::string& parent, bool in_list, int& components);

  bool is_leaf() const { return type.form != FieldType::Form::object && type.form != FieldType::Form::list; }
  // The entries of a row lie at a place that its number gives.
  bool is_placed() const { return placed; }
  // REQUIRES: is_placed()
  uint8_t* place(int row) { return entries.at(static_cast<size_t>(row) * stride, stride); }
  // Takes back what the object in a list, or the whole row, has put here.
  void reset(bool whole_row = false);

  FieldType type;
  // "user.name"
  std::string path;
  bool in_list;
  bool placed = false;
  // A row, or an object in a list, has one entry.
  bool scalar = false;
  // FieldEntries of a row, if it is placed.
  size_t stride = 1;
  // The number of its first component, behind the flag of an optional one.
  int component;
  std::vector<FieldNode> members;
  // What its reader knows of it.
  size_t number = 0;

  // Of the object that it belongs to; of another number, the field was not found in this one.
  uint64_t stamp = 0;
  State state = State::null;
  FieldFault fault = {};

  FieldEntries entries;
  // Of an optional one: whether this row has a value, and the rows so far.
  bool present = false;
  std::vector<uint8_t> flags;
  // Of a tensor with unknown dimensions: all of them, for each row.
  std::vector<int64_t> dims;
  // Of a ragged one: where each list ends, counted from the row's first entry.
  std::vector<int64_t> splits;
  // Of a list, the objects of this row.
  int64_t length = 0;
  // Where the entries and splits of each row end.
  std::vector<size_t> entry_ends;
  std::vector<size_t> split_ends;
  // Where those of this row begin, and those of the object in a list.
  size_t row_entries = 0;
  size_t row_splits = 0;
  size_t first_entry = 0;
  size_t first_split = 0;
};

// Where columns go.
class FieldSink {
 public:
  // Room for all rows, one after the other.
  virtual uint8_t* all_rows(int component, DType dtype, const Shape& row_shape) = 0;
  // Rows that differ in shape follow, with so many entries in all; then the room of each, in rising order.
  // Null if there can be none.
  virtual void begin_rows(int component, DType dtype, size_t entries) = 0;
  virtual uint8_t* row(int component, int row, DType dtype, const Shape& shape) = 0;

 protected:
  ~FieldSink() = default;
};

class FieldColumns {
 public:
  explicit FieldColumns(const std::vector<FieldType>& fields);
  FieldColumns(const FieldColumns&) = delete;
  FieldColumns& operator=(const FieldColumns&) = delete;

  std::vector<FieldNode>& fields() { return fields_; }
  const std::vector<FieldNode>& fields() const { return fields_; }
  int components() const { return components_; }
  int rows() const { return rows_; }
  // The number of the row, or of the object, that is being read.
  uint64_t new_stamp() { return ++stamps_; }

  // Forgets the rows.
  void begin(size_t max_rows);
  void start_row();
  // An object of a list begins, whose members are these.
  static void start_object(std::vector<FieldNode>& members);
  // The field is there; empties it for its value. True if it was there before in the same object.
  static bool found(FieldNode& node, uint64_t stamp) {
    const bool again = node.stamp == stamp;
    node.stamp = stamp;
    node.state = FieldNode::State::value;
    node.present = true;
    if (again) [[unlikely]]
      node.reset();
    return again;
  }
  // Makes what an object doesn't have; false if a field has no value.
  bool close(std::vector<FieldNode>& members, uint64_t stamp, FieldFault& fault);
  // The same for the row, which is added. If there is a fault, add_failed() must follow.
  bool finish_row(uint64_t stamp, FieldFault& fault);
  // Adds a row whose fields all have values.
  void add_row();
  // Adds a failed row, in place of the one that was started.
  void add_failed(ErrorPtr error);

  // Fills the columns. Strings point to what the reader owns, and to the defaults.
  void finish(FieldSink& sink) const;
  const RowErrors& errors() const { return errors_; }
  // The owners of the strings of defaults.
  void keep_defaults(std::vector<RefPtr<RefCounted>>& owners) const;
  // Fills the columns and errors of `out`; the owners are those of the strings.
  void finish(Block& out, const OwnersRef& owners);

 private:
  bool put_absent(FieldNode& node, bool missing, FieldFault& fault);
  void put_fallback(FieldNode& node);
  void put_smallest(FieldNode& node);
  void list_nodes(std::vector<FieldNode>& nodes);
  void finish_leaf(FieldNode& node, FieldSink& sink) const;

  std::vector<FieldNode> fields_;
  int components_ = 0;
  // Those with entries, and of them those that are not placed; lists.
  std::vector<FieldNode*> leaves_;
  std::vector<FieldNode*> growing_;
  std::vector<FieldNode*> optionals_;
  RowErrors errors_;
  uint64_t stamps_ = 0;
  int rows_ = 0;
};

// What is wrong with a row, for an error.
// `present` are the names where the field is missing, `wanted` those that are asked for there.
Mistake describe(const FieldFault& fault, const std::vector<std::string>& present = {},
                 const std::vector<std::string>& wanted = {});

}  // namespace weir
