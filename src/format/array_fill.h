// ArrayFill: fills a column with rows of arrays, whose bytes are read straight to where the entries lie.
//
//   ArrayFill fill(column, layout.type.dtype, layout.row, 64, layout.row_bytes, &pool);
//   … read rows 0 to 63 to fill.bytes(0) …
//   fill.made(layout.type, 0, 64, [&](int row, const Status& status) { … });
//   fill.finish();
#pragma once

#include <utility>

#include "core/block.h"
#include "format/array_entries.h"

namespace weir {

class ArrayFill {
 public:
  // Makes room for `rows` rows of at most `row_bytes` bytes each. Large columns come from `pool`.
  ArrayFill(Column& column, DType dtype, const Shape& row, int rows, uint64_t row_bytes, BufferPool* pool)
      : column_(column), row_bytes_(row_bytes), entries_(static_cast<size_t>(row.count())) {
    column.draw_from(pool);
    uint8_t* const made = column.make_dense(dtype, row, rows);
    column.draw_from(nullptr);
    data_ = made;
    if (dtype != DType::string) return;
    strings_ = reinterpret_cast<Str*>(made);
    buffer_ = pool->allocate(std::max<size_t>(1, static_cast<size_t>(rows) * row_bytes));
    data_ = buffer_->data();
  }

  // Where the bytes of a row go; the next row's follow if this one has the most.
  uint8_t* bytes(int row) const { return data_ + static_cast<size_t>(row) * row_bytes_; }

  // The bytes of rows [row, row + count), of one type, have been read, one after the other from bytes(row)
  // on. Calls fail(row, status) for those that are none.
  template <class Fail>
  void made(const ArrayType& type, int row, int count, Fail fail) {
    if (strings_ == nullptr) {
      make_numbers(type, bytes(row), static_cast<size_t>(count) * entries_);
      return;
    }
    uint8_t* from = bytes(row);
    for (int end = row + count; row < end; ++row, from += entries_ * type.entry_bytes) {
      Str* const to = strings_ + static_cast<size_t>(row) * entries_;
      const Status status = make_strings(type, from, entries_, to);
      if (status.ok()) continue;
      for (size_t i = 0; i < entries_; ++i) to[i] = Str();
      fail(row, status);
    }
  }

  void finish() {
    if (strings_ == nullptr) return;
    auto owners = make_ref<Owners>();
    owners->list.push_back(std::move(buffer_));
    column_.set_owners(std::move(owners));
  }

 private:
  Column& column_;
  const uint64_t row_bytes_;
  const size_t entries_;
  uint8_t* data_ = nullptr;
  // Of strings, whose bytes lie elsewhere.
  Str* strings_ = nullptr;
  BufferRef buffer_;
};

}  // namespace weir
