#include "arrow_columns.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "core/text.h"

namespace weir::command {

namespace {

constexpr const char* kWiderFormats = "write a folder instead";
constexpr size_t kMostEntries = INT32_MAX;

struct ArrowType {
  int32_t dtype;
  const char* format;
  size_t bytes;
};
constexpr std::array<ArrowType, 13> kTypes = {{{WEIR_DTYPE_BOOL, "b", 0},
                                               {WEIR_DTYPE_INT8, "c", 1},
                                               {WEIR_DTYPE_INT16, "s", 2},
                                               {WEIR_DTYPE_INT32, "i", 4},
                                               {WEIR_DTYPE_INT64, "l", 8},
                                               {WEIR_DTYPE_UINT8, "C", 1},
                                               {WEIR_DTYPE_UINT16, "S", 2},
                                               {WEIR_DTYPE_UINT32, "I", 4},
                                               {WEIR_DTYPE_UINT64, "L", 8},
                                               {WEIR_DTYPE_FLOAT16, "e", 2},
                                               {WEIR_DTYPE_FLOAT32, "f", 4},
                                               {WEIR_DTYPE_FLOAT64, "g", 8},
                                               {WEIR_DTYPE_STRING, "u", 0}}};

void append_bit(std::string& bits, size_t at, bool value) {
  if (at % 8 == 0) bits += '\0';
  if (value) bits.back() = static_cast<char>(bits.back() | 1 << at % 8);
}

// Lets a schema or an array own what it points to, with its children, until it is released.
template <class T, class Owned>
void own(T& out, std::unique_ptr<Owned> owned) {
  for (T& child : owned->children) owned->places.push_back(&child);
  out.n_children = static_cast<int64_t>(owned->children.size());
  out.children = owned->places.data();
  out.release = [](T* parent) {
    for (int64_t i = 0; i < parent->n_children; ++i) {
      if (parent->children[i]->release != nullptr) parent->children[i]->release(parent->children[i]);
    }
    parent->release = nullptr;
    delete static_cast<Owned*>(parent->private_data);
  };
  out.private_data = owned.release();
}

}  // namespace

// What the interface's structures point to.
struct ArrowColumn::Schema {
  std::string format;
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> places;
};
struct ArrowColumn::Array {
  std::string there;
  std::vector<int32_t> ends;
  std::string bytes;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> places;
  std::array<const void*, 3> buffers{};
};

ArrowColumn::ArrowColumn(const Structure& value, std::string name, const std::vector<bool>& binary)
    : name_(std::move(name)) {
  become(value, binary);
}

void ArrowColumn::become(const Structure& value, const std::vector<bool>& binary) {
  switch (value.kind) {
    case WEIR_SPEC_OPTIONAL:
      nullable_ = true;
      return become(value.members[0].second, binary);
    case WEIR_SPEC_DICT:
      if (value.objects) return become_objects(value, binary);
      [[fallthrough]];
    case WEIR_SPEC_TUPLE:
      format_ = "+s";
      if (value.members.empty())
        throw Error(
            WEIR_CODE_INVALID_ARGUMENT,
            concat("expected elements with values, found a dict or tuple without any",
                   value.path.empty() ? "" : " in " + value.path, "; write a .jsonl or a folder instead"));
      for (const auto& [key, member] : value.members) children_.push_back(ArrowColumn(member, key, binary));
      return;
    case WEIR_SPEC_RAGGED: {
      std::vector<int64_t> dims(2, -1);
      if (value.dims.size() > 2) dims.insert(dims.end(), value.dims.begin() + 2, value.dims.end());
      return become_lists(value, dims, binary[value.first]);
    }
    case WEIR_SPEC_SPARSE:
      return become_lists(value, {-1}, binary[value.first + 1]);
    case WEIR_SPEC_DATASET:
      refuse_value("values", "a dataset", value, 0, "read it by flat_map first");
    default:
      return become_lists(value, value.dims, binary[value.first]);
  }
}

void ArrowColumn::become_objects(const Structure& value, const std::vector<bool>& binary) {
  format_ = "+l";
  ArrowColumn& items = children_.emplace_back(ArrowColumn());
  items.name_ = "item";
  items.format_ = "+s";
  for (const auto& [key, member] : value.members) {
    ArrowColumn& child = items.children_.emplace_back(ArrowColumn());
    child.name_ = key;
    const bool lists = member.kind == WEIR_SPEC_RAGGED;
    child.become_lists(member, std::vector<int64_t>(lists ? 1 : 0, -1), binary[member.first]);
  }
}

void ArrowColumn::become_lists(const Structure& value, const std::vector<int64_t>& dims, bool is_binary) {
  ArrowColumn* at = this;
  for (const int64_t dim : dims) {
    at->format_ = dim > 0 ? concat("+w:", dim) : "+l";
    at->width_ = static_cast<size_t>(std::max<int64_t>(dim, 0));
    at->children_.push_back(ArrowColumn());
    at = &at->children_[0];
    at->name_ = "item";
  }
  const auto* const type = std::find_if(kTypes.begin(), kTypes.end(),
                                        [&](const ArrowType& each) { return each.dtype == value.dtype; });
  if (type == kTypes.end())
    refuse_value("numbers of dtypes that Arrow has, and strings", "another dtype", value, 0,
                 write_instead(value));
  at->format_ = value.dtype == WEIR_DTYPE_STRING && is_binary ? "z" : type->format;
  at->width_ = type->bytes;
}

void ArrowColumn::count(size_t entries, bool there) {
  for (size_t i = 0; nullable_ && i < entries; ++i)
    append_bit(there_, static_cast<size_t>(length_) + i, there);
  length_ += static_cast<int64_t>(entries);
}

void ArrowColumn::add_entries(const weir_view& view, size_t at, size_t count, const Structure& value,
                              uint64_t row) {
  if (is_text()) {
    const auto* const texts = static_cast<const weir_string*>(view.data) + at;
    for (size_t i = 0; i < count; ++i) {
      if (texts[i].size > kMostEntries - bytes_.size())
        refuse_value("strings of less than 2 GiB", "longer ones", value, row, kWiderFormats);
      bytes_.append(texts[i].data, texts[i].size);
      ends_.push_back(static_cast<int32_t>(bytes_.size()));
    }
  } else if (width_ == 0) {
    const auto* const bits = static_cast<const uint8_t*>(view.data) + at;
    for (size_t i = 0; i < count; ++i) append_bit(bytes_, static_cast<size_t>(length_) + i, bits[i] != 0);
  } else {
    bytes_.append(static_cast<const char*>(view.data) + at * width_, count * width_);
  }
  this->count(count, true);
}

void ArrowColumn::end_list(const Structure& value, uint64_t row) {
  const int64_t end = children_[0].length_;
  if (end > static_cast<int64_t>(kMostEntries))
    refuse_value("lists of less than 2^31 values", "longer ones", value, row, kWiderFormats);
  if (width_ == 0) ends_.push_back(static_cast<int32_t>(end));
  count(1, true);
}

// The entries from `at` on as lists of the dimensions from `dim` on.
void ArrowColumn::add_lists(const weir_view& view, int32_t dim, size_t& at, const Structure& value,
                            uint64_t row) {
  if (is_leaf()) return add_entries(view, at++, 1, value, row);
  const auto entries = static_cast<size_t>(view.dims[dim]);
  ArrowColumn& items = children_[0];
  if (items.is_leaf()) {
    items.add_entries(view, at, entries, value, row);
    at += entries;
  } else {
    for (size_t i = 0; i < entries; ++i) items.add_lists(view, dim + 1, at, value, row);
  }
  end_list(value, row);
}

void ArrowColumn::add_ragged(const Element& element, const Structure& value, uint64_t row) {
  const weir_view values = element.view(value.first);
  const weir_view splits = element.view(value.first + 1);
  const auto* const ends = static_cast<const int64_t*>(splits.data);
  ArrowColumn& lists = children_[0];
  size_t at = 0;
  for (int64_t i = 1; i < splits.dims[0]; ++i) {
    for (int64_t entry = ends[i - 1]; entry < ends[i]; ++entry)
      lists.children_[0].add_lists(values, 1, at, value, row);
    lists.end_list(value, row);
  }
  end_list(value, row);
}

void ArrowColumn::add_objects(const Element& element, const Structure& value, uint64_t row) {
  const int64_t size = list_size(element, value);
  ArrowColumn& items = children_[0];
  for (size_t i = 0; i < value.members.size(); ++i) {
    const Structure& member = value.members[i].second;
    const weir_view values = element.view(member.first);
    ArrowColumn& child = items.children_[i];
    if (child.is_leaf()) {
      child.add_entries(values, 0, static_cast<size_t>(size), member, row);
      continue;
    }
    const auto* const ends = static_cast<const int64_t*>(element.view(member.first + 1).data);
    for (int64_t entry = 0; entry < size; ++entry) {
      child.children_[0].add_entries(values, static_cast<size_t>(ends[entry]),
                                     static_cast<size_t>(ends[entry + 1] - ends[entry]), member, row);
      child.end_list(member, row);
    }
  }
  items.count(static_cast<size_t>(size), true);
  end_list(value, row);
}

void ArrowColumn::add(const Element& element, const Structure& value, uint64_t row) {
  size_t at = 0;
  switch (value.kind) {
    case WEIR_SPEC_OPTIONAL:
      if (!element.get<bool>(value.first)) return add_missing();
      return add(element, value.members[0].second, row);
    case WEIR_SPEC_DICT:
      if (value.objects) return add_objects(element, value, row);
      [[fallthrough]];
    case WEIR_SPEC_TUPLE:
      for (size_t i = 0; i < children_.size(); ++i) children_[i].add(element, value.members[i].second, row);
      return count(1, true);
    case WEIR_SPEC_RAGGED:
      return add_ragged(element, value, row);
    case WEIR_SPEC_SPARSE: {
      const weir_view values = element.view(value.first + 1);
      const weir_view shape = element.view(value.first + 2);
      if (shape.dims[0] != 1 || *static_cast<const int64_t*>(shape.data) != values.dims[0])
        refuse_value("values that Arrow has", "a sparse tensor", value, row, "make it dense");
      return add_lists(values, 0, at, value, row);
    }
    default: {
      const weir_view view = element.view(value.first);
      if (static_cast<size_t>(view.rank) != value.dims.size())
        refuse_value("tensors whose rank is known before they are read", "others", value, row, kWiderFormats);
      return add_lists(view, 0, at, value, row);
    }
  }
}

void ArrowColumn::add_missing() {
  if (nullable_) ++missing_;
  if (is_text() || format_ == "+l") {
    ends_.push_back(ends_.back());
  } else if (is_leaf() && width_ == 0) {
    append_bit(bytes_, static_cast<size_t>(length_), false);
  } else if (is_leaf()) {
    bytes_.append(width_, '\0');
  } else {
    const size_t items = format_ == "+s" ? 1 : width_;
    for (ArrowColumn& child : children_) {
      for (size_t i = 0; i < items; ++i) child.add_missing();
    }
  }
  count(1, false);
}

uint64_t ArrowColumn::byte_size() const {
  uint64_t out = bytes_.size() + ends_.size() * sizeof(int32_t);
  for (const ArrowColumn& child : children_) out += child.byte_size();
  return out;
}

ArrowSchema ArrowColumn::schema() const {
  auto owned = std::make_unique<Schema>();
  owned->format = format_;
  owned->name = name_;
  for (const ArrowColumn& child : children_) owned->children.push_back(child.schema());
  ArrowSchema out{};
  out.format = owned->format.c_str();
  out.name = owned->name.c_str();
  out.flags = nullable_ ? kArrowNullable : 0;
  own(out, std::move(owned));
  return out;
}

ArrowArray ArrowColumn::take() {
  auto owned = std::make_unique<Array>();
  ArrowArray out{};
  out.length = std::exchange(length_, 0);
  out.null_count = std::exchange(missing_, 0);
  owned->there = std::exchange(there_, {});
  owned->ends = std::exchange(ends_, {0});
  owned->bytes = std::exchange(bytes_, {});
  const bool has_ends = is_text() || format_ == "+l";
  if (nullable_) owned->buffers[0] = owned->there.data();
  if (has_ends) owned->buffers[1] = owned->ends.data();
  if (is_leaf()) owned->buffers[has_ends ? 2 : 1] = owned->bytes.data();
  for (ArrowColumn& child : children_) owned->children.push_back(child.take());
  out.n_buffers = 1 + (has_ends ? 1 : 0) + (is_leaf() ? 1 : 0);
  out.buffers = owned->buffers.data();
  own(out, std::move(owned));
  return out;
}

}  // namespace weir::command
