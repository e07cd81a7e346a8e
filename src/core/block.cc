#include "core/block.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/joined_errors.h"

namespace weir {

namespace {

// A column that grows has more owners than others: 32 readers in turns have two each.
constexpr size_t kMostSources = 64;

void add_owner(Owners& owners, const RefPtr<RefCounted>& owner) {
  for (const auto& have : owners.list) {
    if (have == owner) return;
  }
  owners.list.push_back(owner);
}

// Adds what keeps `source`'s entries alive to `owners`. A long list is added as one, whole.
void add_owners(Owners& owners, const Tensor& source) {
  if (source.owners && source.owners->list.size() > kMostSources) {
    add_owner(owners, source.owners);
  } else if (source.owners) {
    for (const auto& owner : source.owners->list) add_owner(owners, owner);
  }
  // The bytes of strings may lie in the buffer that holds the entries.
  if (source.dtype == DType::string && source.buffer) add_owner(owners, source.buffer);
}

// Makes `tensor` keep alive what `source` does. Owner lists are immutable once shared, so a longer one is a
// new one.
void share_owners(Tensor& tensor, const Tensor& source) {
  if (!tensor.owners || !tensor.owners->unique()) {
    auto owners = make_ref<Owners>();
    if (tensor.owners) owners->list = tensor.owners->list;
    tensor.owners = std::move(owners);
  }
  add_owners(*tensor.owners, source);
}

// Copies rows of one size; small sizes are spelled out so that the compiler turns them into moves.
template <size_t Size, class Index>
void gather_fixed(uint8_t* out, const uint8_t* in, std::span<const Index> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(out + i * Size, in + static_cast<size_t>(rows[i]) * Size, Size);
  }
}

template <class Index>
void gather_rows(uint8_t* out, const uint8_t* in, size_t row_bytes, std::span<const Index> rows) {
  switch (row_bytes) {
    case 1:
      return gather_fixed<1>(out, in, rows);
    case 2:
      return gather_fixed<2>(out, in, rows);
    case 4:
      return gather_fixed<4>(out, in, rows);
    case 8:
      return gather_fixed<8>(out, in, rows);
    case 16:
      return gather_fixed<16>(out, in, rows);
    default:
      for (size_t i = 0; i < rows.size(); ++i) {
        std::memcpy(out + i * row_bytes, in + static_cast<size_t>(rows[i]) * row_bytes, row_bytes);
      }
  }
}

}  // namespace

void RowErrors::push_back(RowError error) {
  if (size_ == 0) {
    only_ = std::move(error);
  } else {
    if (size_ == 1) {
      more_.reserve(2);
      more_.push_back(std::move(only_));
    }
    more_.push_back(std::move(error));
  }
  ++size_;
}

void RowErrors::insert(RowError* at, RowError error) {
  const auto index = at - begin();
  push_back(std::move(error));
  std::rotate(begin() + index, end() - 1, end());
}

bool Column::reuse(DType dtype, const Shape& shape, size_t bytes) {
  if (target_.fits(bytes)) {
    tensor_.buffer = target_.take(tensor_.data);
    tensor_.dtype = dtype;
    tensor_.shape = shape;
    return true;
  }
  // Lent memory may be written only by its owner.
  if (!tensor_.buffer || !tensor_.buffer->unique() || tensor_.buffer->lasting()) return false;
  if (tensor_.buffer->size() < bytes) return false;
  tensor_.dtype = dtype;
  tensor_.shape = shape;
  tensor_.data = tensor_.buffer->data();
  return true;
}

bool Column::fits_as_before(DType dtype, const Shape& row_shape, int rows) {
  if (!dense_ || tensor_.dtype != dtype || has_owners(dtype) || target_.bound() || !tensor_.buffer)
    return false;
  if (tensor_.shape.rank() != row_shape.rank() + 1) return false;
  size_t bytes = static_cast<size_t>(rows) * dtype_size(dtype);
  for (int i = 0; i < row_shape.rank(); ++i) {
    if (tensor_.shape[i + 1] != row_shape[i]) return false;
    bytes *= static_cast<size_t>(row_shape[i]);
  }
  return tensor_.buffer->size() >= bytes && tensor_.buffer->unique() && !tensor_.buffer->lasting();
}

uint8_t* Column::make_dense(DType dtype, const Shape& row_shape, int rows) {
  // Successive blocks usually have rows of one shape; this keeps a single row cheap.
  if (fits_as_before(dtype, row_shape, rows)) [[likely]] {
    tensor_.shape.set_dim(0, rows);
    tensor_.data = tensor_.buffer->data();
    tensor_.owners = nullptr;
    grown_ = false;
    return tensor_.data;
  }
  Shape shape = row_shape.prepended(rows);
  size_t bytes = static_cast<size_t>(shape.count()) * dtype_size(dtype);
  list_.clear();
  dense_ = true;
  tensor_.owners = nullptr;
  grown_ = false;
  if (!reuse(dtype, shape, bytes)) {
    tensor_.buffer = target_.allocate(bytes);
    tensor_.data = tensor_.buffer->data();
    tensor_.dtype = dtype;
    tensor_.shape = shape;
  }
  if (has_owners(dtype)) std::memset(tensor_.data, 0, bytes);
  return tensor_.data;
}

void Column::set_dense(Tensor tensor) {
  list_.clear();
  dense_ = true;
  grown_ = false;
  tensor_ = std::move(tensor);
}

void Column::set_row(const Tensor& tensor) {
  if (tensor.shape.rank() < kMaxRank) {
    set_dense(tensor.reshaped(tensor.shape.prepended(1)));
  } else {
    make_list().push_back(tensor);
  }
}

std::vector<Tensor>& Column::make_list() {
  tensor_ = Tensor();
  grown_ = false;
  dense_ = false;
  list_.clear();
  return list_;
}

void Column::densify() {
  if (dense_ || list_.empty()) return;
  const Tensor& first = list_[0];
  for (const Tensor& tensor : list_) {
    if (tensor.dtype != first.dtype || !(tensor.shape == first.shape) || first.shape.rank() == kMaxRank)
      return;
  }
  std::vector<Tensor> rows = std::move(list_);
  size_t row_bytes = rows[0].byte_size();
  uint8_t* out = make_dense(rows[0].dtype, rows[0].shape, static_cast<int>(rows.size()));
  auto owners = has_owners(rows[0].dtype) ? make_ref<Owners>() : nullptr;
  bool many = false;
  for (const Tensor& row : rows) {
    if (row_bytes > 0) std::memcpy(out, row.data, row_bytes);
    out += row_bytes;
    if (owners && !many) add_owners(*owners, row);
    many = owners && tensor_.dtype == DType::string && owners->list.size() > kMaxOwners;
  }
  tensor_.owners = std::move(owners);
  if (many) tensor_ = deep_copy(tensor_);
}

Tensor Column::row(int i) const {
  if (!dense_) return list_[static_cast<size_t>(i)];
  return tensor_.dtype == DType::invalid ? Tensor() : tensor_.row(i);
}

Column Column::slice(int begin, int count) const {
  Column out;
  out.dense_ = dense_;
  if (dense_) {
    if (tensor_.dtype != DType::invalid) out.tensor_ = tensor_.rows(begin, count);
  } else {
    out.list_.assign(list_.begin() + begin, list_.begin() + begin + count);
  }
  return out;
}

template <class Index>
void Column::gather(const Column& source, std::span<const Index> rows) {
  if (!source.dense_) {
    auto& out = make_list();
    out.reserve(rows.size());
    for (Index row : rows) out.push_back(source.list_[static_cast<size_t>(row)]);
    return;
  }
  const Tensor& from = source.tensor_;
  if (from.dtype == DType::invalid) return make_placeholder();
  Shape row_shape = from.shape.tail();
  size_t row_bytes = static_cast<size_t>(row_shape.count()) * dtype_size(from.dtype);
  uint8_t* out = make_dense(from.dtype, row_shape, static_cast<int>(rows.size()));
  gather_rows(out, from.data, row_bytes, rows);
  if (!has_owners(from.dtype)) return;
  if (from.dtype == DType::string) {
    // The entries move to another buffer, so the old one becomes an owner of their bytes.
    auto owners = make_ref<Owners>();
    add_owners(*owners, from);
    tensor_.owners = std::move(owners);
  } else {
    tensor_.owners = from.owners;
  }
}

void Column::gather_from(const Column& source, std::span<const int32_t> rows) { gather(source, rows); }
void Column::gather_from(const Column& source, std::span<const int64_t> rows) { gather(source, rows); }

bool Column::placeholder(int begin, int count) const {
  if (dense_) return tensor_.dtype == DType::invalid;
  for (int i = begin; i < begin + count; ++i) {
    if (list_[static_cast<size_t>(i)].dtype != DType::invalid) return false;
  }
  return true;
}

void Column::append_zeros(int rows, int count) {
  Tensor zeros = Tensor::allocate(tensor_.dtype, tensor_.shape.tail().prepended(count));
  std::memset(zeros.data, 0, zeros.byte_size());
  Column source;
  source.set_dense(std::move(zeros));
  append(rows, source, 0, count);
}

void Column::append(int rows, const Column& source, int begin, int count) {
  if (rows > 0 && count > 0 && dense_ && source.placeholder(begin, count)) {
    if (tensor_.dtype != DType::invalid) append_zeros(rows, count);
    return;
  }
  if (rows > 0 && source.dense_ && source.tensor_.dtype != DType::invalid && placeholder(0, rows)) {
    // Only failed rows so far: give them zeroed places of the first real row's shape.
    Column fresh;
    Shape row_shape = source.tensor_.shape.tail();
    uint8_t* places = fresh.make_dense(source.tensor_.dtype, row_shape, rows);
    std::memset(places, 0, fresh.tensor_.byte_size());
    *this = std::move(fresh);
  }
  if (rows > 0 && dense_ && tensor_.dtype == DType::invalid) {
    // A list follows.
    make_list().resize(static_cast<size_t>(rows));
  }
  if (rows == 0) {
    Column slice = source.slice(begin, count);
    if (target_.bound() && slice.dense_ && target_.fits(slice.tensor_.byte_size())) {
      const Tensor& from = slice.tensor_;
      uint8_t* out = make_dense(from.dtype, from.shape.tail(), count);
      std::memcpy(out, from.data, from.byte_size());
    } else {
      *this = std::move(slice);
    }
    return;
  }
  bool same = dense_ && source.dense_ && tensor_.dtype == source.tensor_.dtype &&
              tensor_.shape.tail() == source.tensor_.shape.tail();
  if (same) return append_dense(rows, source, begin, count);
  if (dense_) {
    std::vector<Tensor> list;
    list.reserve(static_cast<size_t>(rows) + static_cast<size_t>(count));
    for (int i = 0; i < rows; ++i) list.push_back(tensor_.row(i));
    make_list() = std::move(list);
  }
  for (int i = 0; i < count; ++i) list_.push_back(source.row(begin + i));
}

void Column::append_dense(int rows, const Column& source, int begin, int count) {
  Shape row_shape = tensor_.shape.tail();
  size_t row_bytes = static_cast<size_t>(row_shape.count()) * dtype_size(tensor_.dtype);
  size_t used = static_cast<size_t>(rows) * row_bytes;
  size_t total = used + static_cast<size_t>(count) * row_bytes;
  bool own = tensor_.buffer && tensor_.buffer->unique() && !tensor_.buffer->lasting() &&
             tensor_.data == tensor_.buffer->data();
  // Other string tensors may keep bytes after their entries.
  own = own && (grown_ || !has_owners(tensor_.dtype));
  if (!own || tensor_.buffer->size() < total) {
    BufferRef grown = Buffer::allocate(total * 2);
    if (used > 0) std::memcpy(grown->data(), tensor_.data, used);
    if (tensor_.dtype == DType::string && !grown_) {
      auto owners = make_ref<Owners>();
      add_owners(*owners, tensor_);
      tensor_.owners = std::move(owners);
      merged_owners_ = merged_entries_ = 0;
    }
    tensor_.buffer = std::move(grown);
    tensor_.data = tensor_.buffer->data();
    grown_ = true;
  }
  if (count > 0 && row_bytes > 0) {
    std::memcpy(tensor_.data + used, source.tensor_.data + static_cast<size_t>(begin) * row_bytes,
                static_cast<size_t>(count) * row_bytes);
  }
  tensor_.shape.set_dim(0, rows + count);
  if (!has_owners(tensor_.dtype)) return;
  share_owners(tensor_, source.tensor_);
  if (tensor_.dtype == DType::string && tensor_.owners->list.size() > kMostSources) merge_owners();
}

// Copies the strings of a grown column into one buffer, which replaces their owners. Strings copied earlier
// stay where they are until their buffers alone are too many, so a byte is copied a few times and not once
// per kMostSources rows.
void Column::merge_owners() {
  if (merged_owners_ + 1 >= kMostSources) merged_owners_ = merged_entries_ = 0;
  std::span<Str> entries = tensor_.entries<Str>().subspan(merged_entries_);
  size_t size = 0;
  for (const Str& entry : entries) size += entry.size;
  BufferRef bytes = Buffer::allocate(size);
  char* to = reinterpret_cast<char*>(bytes->data());
  for (Str& entry : entries) {
    if (entry.size > 0) std::memcpy(to, entry.data, entry.size);
    entry.data = to;
    to += entry.size;
  }
  tensor_.owners->list.resize(merged_owners_);
  tensor_.owners->list.push_back(std::move(bytes));
  ++merged_owners_;
  merged_entries_ = static_cast<size_t>(tensor_.count());
}

int64_t Column::byte_size(int rows) const {
  auto tensor_bytes = [](const Tensor& tensor) {
    int64_t bytes = static_cast<int64_t>(tensor.byte_size());
    if (tensor.dtype == DType::string) {
      for (const Str& entry : tensor.entries<const Str>()) bytes += static_cast<int64_t>(entry.size);
    }
    return bytes;
  };
  if (rows == 0) return 0;
  if (dense_) return tensor_.dtype == DType::invalid ? 0 : tensor_bytes(tensor_);
  int64_t bytes = 0;
  for (const Tensor& tensor : list_) bytes += tensor_bytes(tensor);
  return bytes;
}

void Column::make_placeholder() {
  list_.clear();
  dense_ = true;
  grown_ = false;
  tensor_ = Tensor();
}

Block::Block(Block&& other) noexcept
    : rows(std::exchange(other.rows, 0)),
      thinned(std::exchange(other.thinned, false)),
      columns(std::move(other.columns)),
      errors(std::move(other.errors)),
      origins(std::move(other.origins)) {
  for (Column& column : columns) column.clear_target();
}

Block& Block::operator=(Block&& other) noexcept {
  rows = std::exchange(other.rows, 0);
  thinned = std::exchange(other.thinned, false);
  columns = std::move(other.columns);
  errors = std::move(other.errors);
  origins = std::move(other.origins);
  for (Column& column : columns) column.clear_target();
  return *this;
}

bool Block::failed(int row) const { return error_of(row) != nullptr; }

const ErrorPtr* Block::error_of(int row) const {
  if (errors.empty()) return nullptr;
  auto at = std::lower_bound(errors.begin(), errors.end(), row,
                             [](const RowError& error, int key) { return error.row < key; });
  return at != errors.end() && at->row == row ? &at->error : nullptr;
}

void Block::fail_row(int row, ErrorPtr error) {
  auto at = std::lower_bound(errors.begin(), errors.end(), row,
                             [](const RowError& have, int key) { return have.row < key; });
  if (at != errors.end() && at->row == row) {
    at->error = joined(at->error, error);
  } else {
    errors.insert(at, RowError{row, std::move(error)});
  }
}

void Block::reset(size_t count) {
  rows = 0;
  thinned = false;
  // Once per element in some pipelines, where mostly nothing is to be done.
  if (!errors.empty()) errors.clear();
  origins.clear();
  if (columns.size() != count) columns.resize(count);
  for (Column& column : columns) column.clear();
}

void Block::swap_columns(Block& other) noexcept {
  columns.swap(other.columns);
  for (Column& column : columns) column.clear_target();
  for (Column& column : other.columns) column.clear_target();
}

void Block::set_error(ErrorPtr error, size_t count) noexcept {
  try {
    columns.resize(count);
  } catch (...) {
    columns.clear();
  }
  for (Column& column : columns) column.make_placeholder();
  errors.clear();
  errors.push_back(RowError{0, std::move(error)});
  rows = 1;
}

void Block::set_failed(const RowErrors& failed, size_t count) {
  columns.resize(count);
  for (Column& column : columns) column.make_placeholder();
  errors = failed;
  rows = static_cast<int>(failed.size());
}

Block Block::slice(int begin, int count) const {
  Block out;
  out.rows = count;
  out.columns.reserve(columns.size());
  for (const Column& column : columns) out.columns.push_back(column.slice(begin, count));
  for (const RowError& error : errors) {
    if (error.row >= begin && error.row < begin + count)
      out.errors.push_back({error.row - begin, error.error});
  }
  out.origins.append(origins, begin, count, 0);
  return out;
}

void Block::append(const Block& source, int begin, int count) {
  // Rows that were asked for with `drop` have no columns, and then no columns are wanted from the others; the
  // places of failed rows may be absent, too.
  if (rows == 0 || value_rows() == 0 || (source.columns.empty() && source.value_rows() > 0)) {
    columns.resize(source.columns.size());
  }
  Column places;
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].append(rows, i < source.columns.size() ? source.columns[i] : places, begin, count);
  }
  for (const RowError& error : source.errors) {
    if (error.row >= begin && error.row < begin + count) {
      errors.push_back({error.row - begin + rows, error.error});
    }
  }
  origins.append(source.origins, begin, count, rows);
  rows += count;
}

void Block::gather_from(const Block& source, std::span<const int32_t> keep) {
  columns.resize(source.columns.size());
  for (size_t i = 0; i < columns.size(); ++i) columns[i].gather_from(source.columns[i], keep);
  errors.clear();
  origins.gather(source.origins, keep);
  rows = static_cast<int>(keep.size());
  if (source.errors.empty()) return;
  for (int i = 0; i < rows; ++i) {
    if (const ErrorPtr* error = source.error_of(keep[static_cast<size_t>(i)])) errors.push_back({i, *error});
  }
}

void Block::gather_thinned(Block& source, std::span<const int32_t> keep) {
  if (!source.thinned) return gather_from(source, keep);
  swap_columns(source);
  errors.clear();
  for (const RowError& error : source.errors) {
    const auto at = std::lower_bound(keep.begin(), keep.end(), error.row);
    errors.push_back({static_cast<int>(at - keep.begin()), error.error});
  }
  origins.gather(source.origins, keep);
  rows = static_cast<int>(keep.size());
}

Components Block::row(int i) const {
  Components out;
  out.reserve(columns.size());
  for (const Column& column : columns) out.push_back(column.row(i));
  return out;
}

void Block::set_row(const Components& components) {
  columns.resize(components.size());
  for (size_t i = 0; i < components.size(); ++i) columns[i].set_row(components[i]);
  rows = 1;
}

int64_t Block::byte_size() const {
  int64_t bytes = 0;
  for (const Column& column : columns) bytes += column.byte_size(rows);
  return bytes;
}

}  // namespace weir
