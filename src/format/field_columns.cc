#include "format/field_columns.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "format/feature_names.h"

namespace weir {

namespace {

using Form = FieldType::Form;
using State = FieldNode::State;

// Memory beyond this is given up after each block.
constexpr size_t kKeptBytes = size_t{4} << 20;

constexpr const char* kMissing = "is missing";

// The smallest shape that fits.
Shape smallest(Shape shape) {
  for (int d = 0; d < shape.rank(); ++d) shape.set_dim(d, std::max<int64_t>(shape[d], 0));
  return shape;
}

class BlockSink final : public FieldSink {
 public:
  BlockSink(Block& out, const OwnersRef& owners) : out_(out), owners_(owners) {}

  uint8_t* all_rows(int component, DType dtype, const Shape& row_shape) override {
    Column& column = out_.columns[static_cast<size_t>(component)];
    uint8_t* data = column.make_dense(dtype, row_shape, out_.rows);
    if (dtype == DType::string) column.set_owners(owners_);
    return data;
  }
  void begin_rows(int component, DType dtype, size_t entries) override {
    list_ = &out_.columns[static_cast<size_t>(component)].make_list();
    list_->reserve(static_cast<size_t>(out_.rows));
    buffer_ = Buffer::allocate(entries * dtype_size(dtype));
    used_ = 0;
  }
  uint8_t* row(int, int, DType dtype, const Shape& shape) override {
    Tensor& tensor = list_->emplace_back();
    tensor.dtype = dtype;
    tensor.shape = shape;
    tensor.buffer = buffer_;
    tensor.data = buffer_->data() + used_;
    if (dtype == DType::string) tensor.owners = owners_;
    used_ += tensor.byte_size();
    return tensor.data;
  }

 private:
  Block& out_;
  const OwnersRef& owners_;
  std::vector<Tensor>* list_ = nullptr;
  BufferRef buffer_;
  size_t used_ = 0;
};

// Gives a sink the rows of a component, which end there among `data`; `shape` is that of a row, and `copy`
// writes it.
template <class ShapeOf, class Copy>
void put_rows(FieldSink& sink, int component, DType dtype, int rows, size_t entries, ShapeOf shape_of,
              Copy copy) {
  bool same = true;
  const Shape first = shape_of(0);
  for (int row = 1; row < rows && same; ++row) same = shape_of(row) == first;
  if (same) {
    uint8_t* out = sink.all_rows(component, dtype, first);
    const size_t bytes = static_cast<size_t>(first.count()) * dtype_size(dtype);
    for (int row = 0; row < rows && out != nullptr; ++row) copy(row, out + static_cast<size_t>(row) * bytes);
    return;
  }
  sink.begin_rows(component, dtype, entries);
  for (int row = 0; row < rows; ++row) {
    uint8_t* out = sink.row(component, row, dtype, shape_of(row));
    if (out != nullptr) copy(row, out);
  }
}

// A default that the field may have.
const char* default_of(const FieldType& type) {
  if (type.form == FieldType::Form::ragged) return "[]";
  return type.dtype == DType::string ? "\"\"" : type.dtype == DType::boolean ? "false" : "0";
}

}  // namespace

void FieldEntries::grow(size_t least) {
  const size_t capacity = std::max({least, 2 * capacity_, size_t{64}});
  std::unique_ptr<uint8_t[]> data(new uint8_t[capacity * width_]);
  if (capacity_ > 0) std::memcpy(data.get(), data_.get(), capacity_ * width_);
  data_ = std::move(data);
  capacity_ = capacity;
}

void FieldEntries::clear() {
  size_ = 0;
  if (capacity_ * width_ <= kKeptBytes) return;
  data_ = nullptr;
  capacity_ = 0;
}

FieldNode::FieldNode(FieldType field, const std::string& parent, bool inside_list, int& components)
    : type(std::move(field)), in_list(inside_list) {
  const std::string key = key_text(type.name);
  path = parent.empty() ? key : concat(parent, ".", key);
  if (type.optional) ++components;
  component = components;
  if (!is_leaf()) {
    const bool list = in_list || type.form == Form::list;
    members.reserve(type.members.size());
    for (const FieldType& member : type.members) members.emplace_back(member, path, list, components);
    return;
  }
  components += type.form == Form::ragged ? 2 : 1;
  scalar = type.form == Form::tensor && type.shape.rank() == 0;
  placed = !in_list && type.form != Form::ragged && type.shape.is_static();
  if (placed) stride = static_cast<size_t>(type.shape.count());
  entries.set_width(dtype_size(type.dtype));
}

void FieldNode::reset(bool whole_row) {
  if (whole_row) {
    first_entry = row_entries;
    first_split = row_splits;
  }
  entries.truncate(placed ? 0 : first_entry);
  splits.resize(first_split);
  length = 0;
  if (is_leaf() && !placed && !in_list && type.form == Form::tensor)
    dims.resize(entry_ends.size() * static_cast<size_t>(type.shape.rank()));
  for (FieldNode& member : members) {
    member.stamp = 0;
    member.reset(whole_row || type.form == Form::list);
  }
}

FieldColumns::FieldColumns(const std::vector<FieldType>& fields) {
  fields_.reserve(fields.size());
  for (const FieldType& field : fields) fields_.emplace_back(field, "", false, components_);
  list_nodes(fields_);
}

void FieldColumns::list_nodes(std::vector<FieldNode>& nodes) {
  for (FieldNode& node : nodes) {
    if (node.type.optional) optionals_.push_back(&node);
    if (node.is_leaf()) leaves_.push_back(&node);
    if (!node.placed && node.type.form != Form::object) growing_.push_back(&node);
    list_nodes(node.members);
  }
}

void FieldColumns::begin(size_t max_rows) {
  rows_ = 0;
  errors_.clear();
  for (FieldNode* node : optionals_) node->flags.clear();
  for (FieldNode* node : leaves_) {
    node->entries.clear();
    // What is long grows with the rows that are there.
    if (node->placed && node->stride <= 64) node->entries.at(0, max_rows * node->stride);
  }
  for (FieldNode* node : growing_) {
    node->dims.clear();
    node->splits.clear();
    node->entry_ends.clear();
    node->split_ends.clear();
  }
}

void FieldColumns::start_row() {
  for (FieldNode* node : growing_) {
    node->length = 0;
    node->row_entries = node->first_entry = node->entries.size();
    node->row_splits = node->first_split = node->splits.size();
  }
}

void FieldColumns::start_object(std::vector<FieldNode>& members) {
  for (FieldNode& member : members) {
    member.first_entry = member.entries.size();
    member.first_split = member.splits.size();
    start_object(member.members);
  }
}

bool FieldColumns::close(std::vector<FieldNode>& members, uint64_t stamp, FieldFault& fault) {
  for (FieldNode& member : members) {
    const bool there = member.stamp == stamp;
    if (there && member.state == State::value) continue;
    if (there && member.state == State::wrong) {
      fault = member.fault;
      return false;
    }
    if (!put_absent(member, !there, fault)) return false;
  }
  return true;
}

bool FieldColumns::put_absent(FieldNode& node, bool missing, FieldFault& fault) {
  if (node.type.optional) {
    put_smallest(node);
    return true;
  }
  if (node.type.fallback) {
    put_fallback(node);
    return true;
  }
  fault = {&node, missing ? kMissing : "is null", {}, true};
  return false;
}

void FieldColumns::put_fallback(FieldNode& node) {
  const Tensor& value = *node.type.fallback;
  if (!node.is_leaf()) return;
  const auto count = static_cast<size_t>(value.count());
  const size_t width = dtype_size(node.type.dtype);
  if (node.placed) {
    std::memcpy(node.place(rows_), value.data, count * width);
    return;
  }
  for (size_t i = 0; i < count; ++i) std::memcpy(node.entries.push(), value.data + i * width, width);
  if (node.type.form == Form::tensor && !node.in_list)
    node.dims.insert(node.dims.end(), value.shape.dims().begin(), value.shape.dims().end());
  if (node.type.form != Form::ragged) return;
  const auto before = static_cast<int64_t>(node.entries.size() - node.row_entries - count);
  const int64_t lists = node.in_list ? 1 : value.shape[0];
  for (int64_t i = 1; i <= lists; ++i)
    node.splits.push_back(before + static_cast<int64_t>(count) / lists * i);
}

// As of nothing(SPEC).
void FieldColumns::put_smallest(FieldNode& node) {
  node.present = false;
  for (FieldNode& member : node.members) put_smallest(member);
  if (!node.is_leaf() || node.in_list) return;
  const size_t width = dtype_size(node.type.dtype);
  if (node.placed) {
    std::memset(node.place(rows_), 0, node.stride * width);
  } else if (node.type.form == Form::tensor) {
    const Shape shape = smallest(node.type.shape);
    node.dims.insert(node.dims.end(), shape.dims().begin(), shape.dims().end());
  }
}

void FieldColumns::add_row() {
  for (FieldNode* node : growing_) {
    const bool list = node->type.form == Form::list;
    node->entry_ends.push_back(list ? static_cast<size_t>(node->length) : node->entries.size());
    if (node->type.form == Form::ragged) node->split_ends.push_back(node->splits.size());
  }
  for (FieldNode* node : optionals_) node->flags.push_back(node->present);
  ++rows_;
}

bool FieldColumns::finish_row(uint64_t stamp, FieldFault& fault) {
  if (!close(fields_, stamp, fault)) return false;
  add_row();
  return true;
}

void FieldColumns::add_failed(ErrorPtr error) {
  for (FieldNode* node : growing_) {
    node->length = 0;
    node->entries.truncate(node->row_entries);
    node->splits.resize(node->row_splits);
    const bool dims = node->type.form == Form::tensor && !node->in_list;
    if (dims) node->dims.resize(static_cast<size_t>(rows_) * static_cast<size_t>(node->type.shape.rank()));
  }
  for (FieldNode& node : fields_) put_smallest(node);
  errors_.push_back({rows_, std::move(error)});
  add_row();
}

void FieldColumns::finish_leaf(FieldNode& node, FieldSink& sink) const {
  const DType dtype = node.type.dtype;
  const size_t width = dtype_size(dtype);
  if (node.placed) {
    uint8_t* out = sink.all_rows(node.component, dtype, node.type.shape);
    const size_t bytes = static_cast<size_t>(rows_) * node.stride * width;
    if (out != nullptr && bytes > 0) std::memcpy(out, node.entries.data(), bytes);
    return;
  }
  const auto begin_of = [](const std::vector<size_t>& ends, int row) {
    return row == 0 ? size_t{0} : ends[static_cast<size_t>(row) - 1];
  };
  const auto size_of = [&](const std::vector<size_t>& ends, int row) {
    return static_cast<int64_t>(ends[static_cast<size_t>(row)] - begin_of(ends, row));
  };
  const bool flat = node.in_list || node.type.form == Form::ragged;
  const auto rank = static_cast<size_t>(node.type.shape.rank());
  const auto entries_of = [&](int row) {
    if (flat) return Shape{size_of(node.entry_ends, row)};
    return Shape(std::span(node.dims.data() + static_cast<size_t>(row) * rank, rank));
  };
  const auto copy_entries = [&](int row, uint8_t* out) {
    const size_t begin = begin_of(node.entry_ends, row);
    const size_t bytes = (node.entry_ends[static_cast<size_t>(row)] - begin) * width;
    if (bytes > 0) std::memcpy(out, node.entries.data() + begin * width, bytes);
  };
  put_rows(sink, node.component, dtype, rows_, node.entries.size(), entries_of, copy_entries);
  if (node.type.form != Form::ragged) return;
  // The first split, 0, isn't among those that were gathered.
  const auto splits_of = [&](int row) { return Shape{size_of(node.split_ends, row) + 1}; };
  const auto copy_splits = [&](int row, uint8_t* out) {
    auto* splits = reinterpret_cast<int64_t*>(out);
    *splits = 0;
    const size_t begin = begin_of(node.split_ends, row);
    std::copy(node.splits.begin() + static_cast<std::ptrdiff_t>(begin),
              node.splits.begin() + static_cast<std::ptrdiff_t>(node.split_ends[static_cast<size_t>(row)]),
              splits + 1);
  };
  put_rows(sink, node.component + 1, DType::int64, rows_, node.splits.size() + static_cast<size_t>(rows_),
           splits_of, copy_splits);
}

void FieldColumns::finish(FieldSink& sink) const {
  if (rows_ == 0) return;
  for (const FieldNode* node : optionals_) {
    uint8_t* out = sink.all_rows(node->component - 1, DType::boolean, Shape());
    if (out != nullptr) std::memcpy(out, node->flags.data(), static_cast<size_t>(rows_));
  }
  for (FieldNode* node : leaves_) finish_leaf(*node, sink);
}

void FieldColumns::keep_defaults(std::vector<RefPtr<RefCounted>>& owners) const {
  for (const FieldNode* node : leaves_) {
    if (node->type.dtype != DType::string || !node->type.fallback) continue;
    if (node->type.fallback->owners) owners.push_back(node->type.fallback->owners);
    if (node->type.fallback->buffer) owners.push_back(node->type.fallback->buffer);
  }
}

void FieldColumns::finish(Block& out, const OwnersRef& owners) {
  out.reset(static_cast<size_t>(components_));
  out.rows = rows_;
  keep_defaults(owners->list);
  BlockSink sink(out, owners);
  finish(sink);
  std::swap(out.errors, errors_);
  errors_.clear();
}

Mistake describe(const FieldFault& fault, const std::vector<std::string>& present,
                 const std::vector<std::string>& wanted) {
  constexpr size_t kShownBytes = 60;
  std::string text = concat("the field ", fault.node->path, " ", fault.wrong);
  if (fault.expected_count >= 0) {
    text += concat(" ", fault.expected_count, " values in each list, found ", fault.found_count);
  } else if (fault.found.data() != nullptr) {
    text +=
        concat(", found ", fault.found.substr(0, kShownBytes), fault.found.size() > kShownBytes ? " …" : "");
  } else if (fault.node->in_list) {
    text += " in an object of a list";
  }
  // An object has no default of its own, and nothing in a list is optional.
  const bool object = fault.node->type.form == FieldType::Form::object;
  const std::string hint = !fault.absent || (object && fault.node->in_list) ? ""
                           : object                                         ? "write optional({…})"
                           : fault.node->in_list ? concat("give it a default, as in ", fault.node->type.name,
                                                          ": … = ", default_of(fault.node->type))
                                                 : "give it a default, or write optional(…)";
  // Other records of the file may have the field.
  const bool known = std::ranges::find(present, fault.node->type.name) != present.end();
  if (present.empty() || known || fault.wrong != std::string_view(kMissing)) return {std::move(text), hint};
  return not_among(concat(text, ", found"), fault.node->type.name, present, wanted, hint);
}

}  // namespace weir
