#include "format/tables/arrow_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/str.h"
#include "format/tables/table_entries.h"
#include "fs/file_system.h"

namespace weir {

namespace {

using Form = FieldType::Form;
using State = FieldNode::State;
using Kind = TableType::Kind;

constexpr size_t kTextBytes = size_t{1} << 16;
constexpr const char* kTooFar = "is a time that nanoseconds in an int64 do not reach";
constexpr const char* kUneven = "must have lists of one length";

// Of a field that has no column.
const TableColumn kNone;

bool is_scalar(const FieldType& field) { return field.form == Form::tensor && field.shape.rank() == 0; }

TableColumn column_of(const FieldType& field, const ArrowSchema& table);

std::vector<TableColumn> columns_in(const std::vector<FieldType>& fields, const ArrowSchema& table) {
  std::vector<TableColumn> out;
  for (const FieldType& field : fields) out.push_back(column_of(field, table));
  return out;
}

TableColumn column_of(const FieldType& field, const ArrowSchema& table) {
  TableColumn out;
  if (field.unread) return out;
  out.index = column_in(table, field.name);
  if (out.index < 0) return out;
  const ArrowSchema* schema = table.children[out.index];
  out.type = table_type(*schema);
  if (field.form == Form::object) {
    out.inner = columns_in(field.members, *schema);
  } else if (field.form == Form::list) {
    out.inner = columns_in(field.members, *schema->children[0]);
  } else {
    TableColumn* list = &out;
    while (list->type.is_list()) {
      schema = schema->children[0];
      list->inner.push_back({table_type(*schema), 0, {}});
      list = &list->inner[0];
    }
  }
  return out;
}

// The entries of a row whose lists have the sizes of its shape, which lie side by side from `at` of `array`
// on. Null if lists have to be looked at.
const TableColumn* fixed_entries(const Shape& shape, const TableColumn& column, const ArrowArray*& array,
                                 int64_t& at) {
  const TableColumn* inner = &column;
  for (const int64_t size : shape.dims()) {
    if (inner->type.kind != Kind::fixed_list || inner->type.size != size) return nullptr;
    at = list_range(inner->type, *array, at).first;
    array = array->children[0];
    if (array->null_count != 0) return nullptr;
    inner = &inner->inner[0];
  }
  return inner;
}

}  // namespace

ArrowRows::ArrowRows(const std::vector<FieldType>& fields)
    : nested_([&] {
        std::vector<FieldType> out;
        std::copy_if(fields.begin(), fields.end(), std::back_inserter(out),
                     [](const FieldType& field) { return !is_scalar(field); });
        return out;
      }()) {
  for (const FieldType& field : fields) {
    const int before = components_;
    if (is_scalar(field)) {
      scalars_.push_back({FieldNode(field, "", false, components_), {}});
      continue;
    }
    components_ += field.spec().component_count();
    for (int i = before; i < components_; ++i) places_.push_back(i);
  }
}

void ArrowRows::bind(const ArrowSchema& table, const ArrowSchema& file) {
  names_.clear();
  for (int64_t i = 0; i < file.n_children; ++i)
    if (file.children[i]->name) names_.emplace_back(file.children[i]->name);
  for (Scalar& scalar : scalars_) scalar.column = column_of(scalar.node.type, table);
  nested_columns_.clear();
  for (const FieldNode& node : nested_.fields()) nested_columns_.push_back(column_of(node.type, table));
}

Mistake ArrowRows::mistake(const FieldFault& fault, bool column) const {
  if (!column) return describe(fault);
  std::vector<std::string> wanted;
  for (const Scalar& scalar : scalars_) wanted.push_back(scalar.node.type.name);
  for (const FieldNode& node : nested_.fields()) wanted.push_back(node.type.name);
  return describe(fault, names_, wanted);
}

char* ArrowRows::text_memory(size_t size) {
  if (texts_.empty() || texts_.back()->size() - text_used_ < size) {
    texts_.push_back(Buffer::allocate(std::max(size, kTextBytes)));
    text_used_ = 0;
  }
  char* const out = reinterpret_cast<char*>(texts_.back()->data()) + text_used_;
  text_used_ += size;
  return out;
}

void ArrowRows::make(const RefPtr<TableBatch>& batch, std::span<const int32_t> rows, const std::string& file,
                     int64_t first, Block& out) {
  out.reset(static_cast<size_t>(components_));
  out.rows = static_cast<int>(rows.size());
  const Place place{&file, first, rows};
  auto owners = make_ref<Owners>();
  owners->list.emplace_back(batch);
  for (Scalar& scalar : scalars_) make_scalar(scalar, batch->array(), place, out);
  if (!places_.empty()) make_nested(batch->array(), place, out, owners);
  for (BufferRef& text : texts_) owners->list.emplace_back(std::move(text));
  texts_.clear();
  for (const Scalar& scalar : scalars_) {
    if (scalar.node.type.dtype != DType::string) continue;
    if (const auto& value = scalar.node.type.fallback) {
      if (value->buffer) owners->list.emplace_back(value->buffer);
      if (value->owners) owners->list.emplace_back(value->owners);
    }
    out.columns[static_cast<size_t>(scalar.node.component)].set_owners(owners);
  }
}

void ArrowRows::fail(const FieldFault& fault, const Place& place, int row, Block& out) const {
  const int64_t record = place.first + place.rows[static_cast<size_t>(row)];
  out.fail_row(row,
               file_error(Code::invalid_argument, mistake(fault, true), *place.file, -1, record).pointer());
}

void ArrowRows::make_scalar(Scalar& scalar, const ArrowArray& table, const Place& place, Block& out) {
  const FieldType& type = scalar.node.type;
  const int rows = out.rows;
  const size_t width = dtype_size(type.dtype);
  const auto component = static_cast<size_t>(scalar.node.component);
  uint8_t* const data = out.columns[component].make_dense(type.dtype, Shape(), rows);
  uint8_t* const flags =
      type.optional ? out.columns[component - 1].make_dense(DType::boolean, Shape(), rows) : nullptr;
  if (flags) std::memset(flags, 1, static_cast<size_t>(rows));
  const auto absent = [&](int row, bool missing) {
    uint8_t* const entry = data + static_cast<size_t>(row) * width;
    std::memset(entry, 0, width);
    if (flags) {
      flags[row] = 0;
    } else if (type.fallback) {
      std::memcpy(entry, type.fallback->data, width);
    } else {
      fail({&scalar.node, missing ? "is missing" : "is null", {}, true}, place, row, out);
    }
  };
  if (scalar.column.index < 0) {
    for (int row = 0; row < rows; ++row) absent(row, true);
    return;
  }
  const ArrowArray& array = *table.children[scalar.column.index];
  const auto memory = [this](size_t size) { return text_memory(size); };
  const auto at = [&](int row) { return table.offset + place.rows[static_cast<size_t>(row)]; };
  for (int begin = 0; begin < rows;) {
    int end = begin + 1;
    while (end < rows && at(end) == at(end - 1) + 1) ++end;
    while (begin < end) {
      begin += static_cast<int>(table_entries(scalar.column.type, array, at(begin), end - begin, type.dtype,
                                              memory, data + static_cast<size_t>(begin) * width));
      if (begin == end) break;
      std::memset(data + static_cast<size_t>(begin) * width, 0, width);
      fail({&scalar.node, kTooFar, {}}, place, begin++, out);
    }
  }
  if (array.null_count == 0) return;
  for (int row = 0; row < rows; ++row) {
    if (table_entry_is_null(array, at(row))) absent(row, false);
  }
}

void ArrowRows::make_nested(const ArrowArray& table, const Place& place, Block& out,
                            const OwnersRef& owners) {
  nested_.begin(place.rows.size());
  std::vector<FieldNode>& fields = nested_.fields();
  for (const int32_t row : place.rows) {
    nested_.start_row();
    const uint64_t stamp = nested_.new_stamp();
    for (size_t i = 0; i < fields.size(); ++i)
      value(fields[i], nested_columns_[i], table, table.offset + row, stamp);
    FieldFault fault;
    if (nested_.finish_row(stamp, fault)) continue;
    const bool column = std::any_of(fields.begin(), fields.end(),
                                    [&](const FieldNode& field) { return &field == fault.node; });
    nested_.add_failed(
        file_error(Code::invalid_argument, mistake(fault, column), *place.file, -1, place.first + row)
            .pointer());
  }
  auto all = make_ref<Owners>();
  all->list = owners->list;
  for (const BufferRef& text : texts_) all->list.emplace_back(text);
  nested_.finish(nested_rows_, all);
  for (size_t i = 0; i < places_.size(); ++i)
    std::swap(out.columns[static_cast<size_t>(places_[i])], nested_rows_.columns[i]);
  for (const RowError& error : nested_rows_.errors) out.fail_row(error.row, error.error);
}

bool ArrowRows::wrong(const FieldNode& node, const char* what) {
  fault_ = {&node, what, {}};
  return false;
}

// The field's value in the object with that stamp, which lies at `at` of `parent`.
bool ArrowRows::value(FieldNode& node, const TableColumn& column, const ArrowArray& parent, int64_t at,
                      uint64_t stamp) {
  const ArrowArray* const array = column.index < 0 ? nullptr : parent.children[column.index];
  if (node.type.form == Form::object && !node.type.optional && (!array || table_entry_is_null(*array, at))) {
    // As one whose members are missing.
    FieldColumns::found(node, stamp);
    const uint64_t inner = nested_.new_stamp();
    for (FieldNode& member : node.members) value(member, kNone, parent, at, inner);
    if (nested_.close(node.members, inner, fault_)) return true;
    node.state = State::wrong;
    node.fault = fault_;
    return false;
  }
  if (!array) return true;
  FieldColumns::found(node, stamp);
  if (table_entry_is_null(*array, at)) {
    node.state = State::null;
    return true;
  }
  bool good = false;
  if (node.type.form == Form::object) {
    good = object(node, column, *array, at);
  } else if (node.type.form == Form::list) {
    good = objects(node, column, *array, at);
  } else if (node.type.form == Form::ragged || node.type.shape.rank() > 0) {
    Shape shape = node.type.shape;
    size_t count = 0;
    const ArrowArray* fixed = array;
    int64_t begin = at;
    const TableColumn* const each = node.placed ? fixed_entries(shape, column, fixed, begin) : nullptr;
    good = each ? entries(node, *each, *fixed, begin, shape.count(), node.place(nested_.rows()))
                : lists(node, column, *array, at, 0, shape, count);
    if (good && node.type.form == Form::tensor && !node.placed) {
      for (int axis = 0; axis < shape.rank(); ++axis) shape.set_dim(axis, std::max<int64_t>(shape[axis], 0));
      node.dims.insert(node.dims.end(), shape.dims().begin(), shape.dims().end());
    }
  } else {
    good =
        entries(node, column, *array, at, 1, node.placed ? node.place(nested_.rows()) : node.entries.push());
  }
  if (good) return true;
  node.state = State::wrong;
  node.fault = fault_;
  return false;
}

bool ArrowRows::object(FieldNode& node, const TableColumn& column, const ArrowArray& array, int64_t at) {
  const uint64_t stamp = nested_.new_stamp();
  for (size_t i = 0; i < node.members.size(); ++i)
    value(node.members[i], column.inner[i], array, array.offset + at, stamp);
  return nested_.close(node.members, stamp, fault_);
}

bool ArrowRows::objects(FieldNode& node, const TableColumn& column, const ArrowArray& array, int64_t at) {
  const auto [begin, count] = list_range(column.type, array, at);
  const ArrowArray& each = *array.children[0];
  for (int64_t i = begin; i < begin + count; ++i) {
    FieldColumns::start_object(node.members);
    const uint64_t stamp = nested_.new_stamp();
    const bool null = table_entry_is_null(each, i);
    for (size_t m = 0; m < node.members.size(); ++m)
      value(node.members[m], null ? kNone : column.inner[m], each, each.offset + i, stamp);
    if (!nested_.close(node.members, stamp, fault_)) return false;
    ++node.length;
  }
  return true;
}

// The lists of one axis of a tensor, or of lists of lists.
bool ArrowRows::lists(FieldNode& node, const TableColumn& column, const ArrowArray& array, int64_t at,
                      int axis, Shape& shape, size_t& count) {
  const auto [begin, size] = list_range(column.type, array, at);
  const ArrowArray& inner = *array.children[0];
  const bool ragged = node.type.form == Form::ragged;
  if (!ragged) {
    if (shape[axis] == kUnknownDim) shape.set_dim(axis, size);
    if (shape[axis] != size) return wrong(node, kUneven);
  }
  for (int64_t i = begin; i < begin + size && inner.null_count != 0; ++i) {
    if (table_entry_is_null(inner, i)) return wrong(node, "must have no null in its list");
  }
  if (column.inner[0].type.is_list()) {
    for (int64_t i = begin; i < begin + size; ++i) {
      if (!lists(node, column.inner[0], inner, i, axis + 1, shape, count)) return false;
    }
    return true;
  }
  const auto more = static_cast<size_t>(size);
  uint8_t* out = nullptr;
  if (node.placed) {
    out = node.place(nested_.rows()) + count * dtype_size(node.type.dtype);
  } else {
    const size_t before = node.entries.size();
    out = node.entries.at(before, more);
    node.entries.truncate(before + more);
  }
  count += more;
  if (!entries(node, column.inner[0], inner, begin, size, out)) return false;
  if (ragged) node.splits.push_back(static_cast<int64_t>(node.entries.size() - node.row_entries));
  return true;
}

bool ArrowRows::entries(FieldNode& node, const TableColumn& column, const ArrowArray& array, int64_t begin,
                        int64_t count, uint8_t* out) {
  const auto memory = [this](size_t size) { return text_memory(size); };
  const int64_t made = table_entries(column.type, array, begin, count, node.type.dtype, memory, out);
  return made == count || wrong(node, kTooFar);
}

}  // namespace weir
