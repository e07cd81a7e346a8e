#include "ops/batching/pack_bin.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/checked.h"

namespace weir {

namespace {

// A column of `rows` times the same entry.
Column repeated(const Tensor& entry, int64_t rows) {
  Column out;
  out.set_row(entry);
  for (int64_t filled = 1; filled < rows;) {
    const int64_t more = std::min(filled, rows - filled);
    const Column source = out;
    out.append(static_cast<int>(filled), source, 0, static_cast<int>(more));
    filled += more;
  }
  return out;
}

void fill(uint8_t* to, int64_t count, const Tensor& entry) {
  const size_t each = dtype_size(entry.dtype);
  const size_t bytes = static_cast<size_t>(count) * each;
  for (size_t filled = 0; filled < bytes;) {
    const size_t more = filled == 0 ? each : std::min(filled, bytes - filled);
    std::memcpy(to + filled, filled == 0 ? entry.data : to, more);
    filled += more;
  }
}

// The numbers of segments and the places in them, for as much of the element as `lengths` take.
void number(const PackLayout& layout, std::span<const int32_t> lengths, Block& out) {
  const Shape shape{layout.length};
  const size_t parts = layout.padding.size();
  auto* segment = out.columns[parts].make_dense<int32_t>(shape, 1);
  auto* place = out.columns[parts + 1].make_dense<int32_t>(shape, 1);
  int64_t used = 0;
  int32_t next = 1;
  for (const int32_t length : lengths) {
    std::fill_n(segment + used, length, next++);
    std::iota(place + used, place + used + length, 0);
    used += length;
  }
  std::fill(segment + used, segment + layout.length, 0);
  std::fill(place + used, place + layout.length, 0);
}

}  // namespace

int64_t PackLayout::bin_bytes() const {
  int64_t bytes = 0;
  for (const Tensor& entry : padding)
    bytes += checked_multiply(length, static_cast<int64_t>(dtype_size(entry.dtype))).value_or(kMostCounted);
  return bytes;
}

void PackBin::add_tokens(size_t part, const Tensor& tokens) {
  const DType dtype = layout_.padding[part].dtype;
  Column& column = tokens_[part];
  const auto count = static_cast<int>(tokens.shape[0]);
  if (has_owners(dtype)) {
    Column source;
    source.set_dense(tokens);
    column.append(static_cast<int>(used_), source, 0, count);
    return;
  }
  const size_t each = dtype_size(dtype);
  uint8_t* const to =
      used_ == 0 ? column.make_dense(dtype, Shape(), static_cast<int>(layout_.length)) : column.tensor().data;
  std::memcpy(to + static_cast<size_t>(used_) * each, tokens.data, static_cast<size_t>(count) * each);
}

void PackBin::add(const Components& sequence, int64_t begin, int64_t count, int64_t ordinal, Origin origin) {
  // Doubling, since reserve() may do no more than it is asked for.
  if (segments_.size() == segments_.capacity()) segments_.reserve(2 * segments_.size() + 4);
  if (rows_.size() == rows_.capacity()) rows_.reserve(2 * rows_.size() + 4);
  for (size_t i = 0; i < sequence.size(); ++i) add_tokens(i, sequence[i].rows(begin, count));
  if (used_ == 0) origin_ = origin;
  used_ += count;
  segments_.push_back(static_cast<int32_t>(count));
  if (!rows_.empty() && rows_.back().first + rows_.back().count == ordinal)
    ++rows_.back().count;
  else
    rows_.push_back({ordinal, 1});
}

void PackBin::finish(Block& out) {
  const size_t parts = tokens_.size();
  out.reset(parts + 2);
  for (size_t i = 0; i < parts; ++i) {
    Column& column = tokens_[i];
    const Tensor& padding = layout_.padding[i];
    if (has_owners(padding.dtype)) {
      column.append(static_cast<int>(used_), repeated(padding, room()), 0, static_cast<int>(room()));
    } else {
      fill(column.tensor().data + static_cast<size_t>(used_) * dtype_size(padding.dtype), room(), padding);
    }
    out.columns[i].set_row(column.tensor());
    column = Column();
  }
  number(layout_, segments_, out);
  out.origins.add(0, segments_.size() > 1 ? origin_.of_group() : origin_);
  out.rows = 1;
}

void PackBin::clear() noexcept {
  for (Column& column : tokens_) column.clear();
  used_ = 0;
  segments_.clear();
  rows_.clear();
}

void give_whole(const PackLayout& layout, const Components& sequence, int64_t begin, Origin origin,
                Block& out) {
  out.reset(sequence.size() + 2);
  for (size_t i = 0; i < sequence.size(); ++i) out.columns[i].set_row(sequence[i].rows(begin, layout.length));
  const auto all = static_cast<int32_t>(layout.length);
  number(layout, {&all, 1}, out);
  out.origins.add(0, origin);
  out.rows = 1;
}

}  // namespace weir
