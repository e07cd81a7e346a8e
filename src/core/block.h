// Block: 1..1024 consecutive rows stored by column, with a list of the rows that failed.
//
// Columns share buffers with other blocks; a block may write only to buffers that it owns alone. Not
// thread-safe. Cutting and moving rows of dense columns moves no bytes; a list column costs a Tensor per row.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/origins.h"
#include "core/spec.h"
#include "core/tensor.h"
#include "core/value.h"

namespace weir {

inline constexpr int kMaxBlockRows = 1024;
inline constexpr int64_t kMaxBlockBytes = int64_t{1} << 20;

struct RowError {
  int row;
  ErrorPtr error;
};

// The errors of a block, sorted by row. A single error takes no memory, so a row can always fail.
class RowErrors {
 public:
  RowErrors() = default;
  RowErrors(const RowErrors&) = default;
  RowErrors& operator=(const RowErrors& other) {
    RowErrors(other).swap(*this);
    return *this;
  }
  RowErrors(RowErrors&& other) noexcept { swap(other); }
  RowErrors& operator=(RowErrors&& other) noexcept {
    RowErrors(std::move(other)).swap(*this);
    return *this;
  }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  RowError* begin() { return data(); }
  RowError* end() { return data() + size_; }
  const RowError* begin() const { return data(); }
  const RowError* end() const { return data() + size_; }
  RowError& operator[](size_t i) { return data()[i]; }
  const RowError& operator[](size_t i) const { return data()[i]; }
  RowError& back() { return data()[size_ - 1]; }

  void clear() {
    only_.error = nullptr;
    more_.clear();
    size_ = 0;
  }
  void reserve(size_t count) {
    if (count > 1 && count > more_.capacity()) more_.reserve(std::max(count, 2 * more_.capacity()));
  }
  void push_back(RowError error);
  void insert(RowError* at, RowError error);
  void swap(RowErrors& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(only_, other.only_);
    more_.swap(other.more_);
  }
  friend void swap(RowErrors& a, RowErrors& b) noexcept { a.swap(b); }

 private:
  RowError* data() { return size_ <= 1 ? &only_ : more_.data(); }
  const RowError* data() const { return size_ <= 1 ? &only_ : more_.data(); }

  size_t size_ = 0;
  RowError only_{};
  // All errors if there are several; else empty.
  std::vector<RowError> more_;
};

// Where a column's producer may put its rows: a place in a batch that is being filled, else memory of a pool.
// It belongs only to the block offered for the next pull, so it does not travel when columns or blocks are
// moved or swapped.
class Target {
 public:
  Target() = default;
  Target(BufferRef buffer, uint8_t* data, size_t bytes)
      : buffer_(std::move(buffer)), data_(data), bytes_(bytes) {}
  Target(const Target&) noexcept {}
  Target& operator=(const Target&) noexcept {  // NOLINT(bugprone-unhandled-self-assignment): clears, too
    clear();
    return *this;
  }
  void bind(BufferRef buffer, uint8_t* data, size_t bytes) {
    buffer_ = std::move(buffer);
    data_ = data;
    bytes_ = bytes;
  }
  // Large columns that have no place come from the pool; null: from malloc.
  void draw_from(BufferPool* pool) { pool_ = pool; }
  void clear() {
    buffer_ = nullptr;
    pool_ = nullptr;
  }
  bool bound() const { return static_cast<bool>(buffer_); }
  bool fits(size_t bytes) const { return bound() && bytes <= bytes_; }
  // Gives up the place; it is filled only once.
  BufferRef take(uint8_t*& data) {
    data = data_;
    return std::move(buffer_);
  }
  BufferRef allocate(size_t bytes) const {
    return pool_ ? pool_->allocate(bytes, kAlignment) : Buffer::allocate(bytes);
  }

 private:
  BufferRef buffer_;
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
  BufferPool* pool_ = nullptr;
};

// One component of every row: dense (one tensor whose first dimension is the rows) or a list of tensors.
class Column {
 public:
  bool dense() const { return dense_; }
  // REQUIRES: dense()
  const Tensor& tensor() const { return tensor_; }
  // REQUIRES: !dense()
  const std::vector<Tensor>& list() const { return list_; }
  DType dtype() const { return dense_ ? tensor_.dtype : (list_.empty() ? DType::invalid : list_[0].dtype); }

  // Makes room for `rows` rows of that shape, uninitialised (strings and datasets: zeroed). Uses the bound
  // target if it fits, else the last buffer if it is not shared and large enough. Returns the entries.
  uint8_t* make_dense(DType dtype, const Shape& row_shape, int rows);
  template <class T>
  T* make_dense(const Shape& row_shape, int rows) {
    return reinterpret_cast<T*>(make_dense(dtype_of<T>, row_shape, rows));
  }
  // The same for scalars of numbers, where every nanosecond of a single row counts.
  template <class T>
  T* make_scalars(int rows) {
    static_assert(std::is_trivially_copyable_v<T>);
    const Buffer* buffer = tensor_.buffer.get();
    const bool as_before = dense_ && tensor_.dtype == dtype_of<T> && tensor_.shape.rank() == 1 &&
                           !tensor_.owners && buffer &&
                           static_cast<size_t>(rows) * sizeof(T) <= buffer->size() && !target_.bound() &&
                           buffer->unique() && !buffer->lasting();
    if (!as_before) [[unlikely]]
      return make_dense<T>(Shape(), rows);
    tensor_.shape.set_dim(0, rows);
    tensor_.data = tensor_.buffer->data();
    grown_ = false;
    return tensor_.as<T>();
  }
  // Gives a string or dataset column its owners.
  // REQUIRES: dense()
  void set_owners(OwnersRef owners) { tensor_.owners = std::move(owners); }
  // Takes a tensor whose first dimension counts the rows.
  void set_dense(Tensor tensor);
  // Takes a tensor as the only row.
  void set_row(const Tensor& tensor);
  // Returns an empty list; push one tensor per row onto it.
  std::vector<Tensor>& make_list();
  // Makes a list dense if all its tensors have one shape. Copies bytes.
  void densify();

  // Returns row i as a tensor sharing the buffer.
  Tensor row(int i) const;
  // Returns rows [begin, begin + count), sharing buffers.
  Column slice(int begin, int count) const;
  // Keeps the rows listed, in that order. Dense columns are compacted into a fresh or reused buffer.
  void gather_from(const Column& source, std::span<const int32_t> rows);
  void gather_from(const Column& source, std::span<const int64_t> rows);
  // Appends rows of another column to the `rows` that this one has.
  void append(int rows, const Column& source, int begin, int count);
  // The bytes that the rows take, strings included, as far as that is cheap to tell.
  int64_t byte_size(int rows) const;

  // A place that the next make_dense fills if the size fits; batch binds its own buffer at the right offset.
  void bind_target(BufferRef buffer, uint8_t* data, size_t bytes) {
    target_.bind(std::move(buffer), data, bytes);
  }
  void clear_target() { target_.clear(); }
  // Where the next make_dense takes large memory from if no place is bound; null: from malloc. The pool must
  // stay until then.
  void draw_from(BufferPool* pool) { target_.draw_from(pool); }
  // Forgets the rows but keeps memory for the next make_dense.
  void clear() {
    if (!list_.empty()) list_.clear();
    dense_ = true;
    tensor_.owners = nullptr;
  }
  // Turns the column into places of failed rows.
  void make_placeholder();

 private:
  bool reuse(DType dtype, const Shape& shape, size_t bytes);
  // The last buffer takes these rows as well; only their number changes.
  bool fits_as_before(DType dtype, const Shape& row_shape, int rows);
  // These rows are places of failed rows only, without dtype or shape.
  bool placeholder(int begin, int count) const;
  template <class Index>
  void gather(const Column& source, std::span<const Index> rows);
  void append_zeros(int rows, int count);
  void append_dense(int rows, const Column& source, int begin, int count);
  void merge_owners();

  bool dense_ = true;
  // The buffer was made by append() and holds entries only.
  bool grown_ = false;
  // Of a grown string column: the owners that merge_owners() made, and the entries whose bytes lie in them.
  size_t merged_owners_ = 0;
  size_t merged_entries_ = 0;
  Tensor tensor_;
  std::vector<Tensor> list_;
  Target target_;
};

class Block {
 public:
  Block() = default;
  Block(const Block&) = default;
  Block& operator=(const Block&) = default;
  // Targets stay behind.
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;

  // Counts failed rows as well. Columns are absent if the rows were asked for with `drop`, and may be absent
  // if all rows failed, perhaps because there was no memory for columns.
  int rows = 0;
  // The columns hold only the rows that the demand's `first` and `step` name, and no others have failed. Set
  // by operators whose columns are Columns::mapped, and seen only by those who ask.
  bool thinned = false;
  std::vector<Column> columns;
  // At most one per row; usually none.
  RowErrors errors;
  // Where rows came from, failed ones included. The Stage clears them before it calls its cursor.
  Origins origins;

  int value_rows() const { return rows - static_cast<int>(errors.size()); }
  bool failed(int row) const;
  // Returns the error of a row, or null.
  const ErrorPtr* error_of(int row) const;
  // Marks a row as failed. The first error of a row wins; later ones are ignored.
  void fail_row(int row, ErrorPtr error);

  // Forgets rows and errors but keeps the memory of `count` columns.
  void reset(size_t count);
  // Swaps the columns alone; places that were offered for them are gone.
  void swap_columns(Block& other) noexcept;
  // Holds one failed row and nothing else. Needs no memory.
  void set_error(ErrorPtr error, size_t count) noexcept;
  // Holds as many rows as `failed` lists, all of them failed.
  void set_failed(const RowErrors& failed, size_t count);
  // Returns rows [begin, begin + count) with their errors, sharing buffers.
  Block slice(int begin, int count) const;
  // Appends rows of another block, errors included.
  void append(const Block& source, int begin, int count);
  // Keeps the listed rows of `source` with their errors.
  void gather_from(const Block& source, std::span<const int32_t> keep);
  // The same where `source` may be thinned to those rows, and is no longer needed.
  void gather_thinned(Block& source, std::span<const int32_t> keep);
  Components row(int i) const;
  // Makes one row of components.
  // REQUIRES: rows == 0
  void set_row(const Components& components);
  int64_t byte_size() const;
};

}  // namespace weir
