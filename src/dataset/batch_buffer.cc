#include "dataset/batch_buffer.h"

#include <algorithm>
#include <cstring>

#include "core/checked.h"
#include "core/text.h"
#include "exec/fork_join.h"

namespace weir {

namespace {

// Batches of this size or more use pooled buffers.
constexpr int64_t kPooledBytes = 64 << 10;
// Batches of up to this size are copied from a buffer that stays.
constexpr int64_t kSmallBytes = 512;
// Before its rows have come, a buffer is no larger than this, whatever the batch size says.
constexpr int64_t kFirstBytes = int64_t{256} << 20;

// What a thread copies at a time where several do; and as much as is worth another thread.
constexpr size_t kPartBytes = size_t{256} << 10;

Status different_shapes(const Column& column, size_t component) {
  const auto& list = column.list();
  const Shape& first = list[0].shape;
  if (first.rank() == kMaxRank) {
    return invalid_argument(expected_found(concat("elements of a rank below ", kMaxRank), first.to_string()));
  }
  for (size_t i = 1; i < list.size(); ++i) {
    if (list[i].shape == first) continue;
    return invalid_argument(expected_found(
        concat("elements of one shape, ", shape_text(first), " like the first one"),
        concat(shape_text(list[i].shape), " in component ", component, " of element ", i),
        "padded_batch fills them up; a reshape in a map before the batch gives them one shape"));
  }
  return internal_error("rows of one shape were not joined");
}

}  // namespace

BatchBuffer::BatchBuffer(const std::vector<Component>& components, int64_t rows, int threads)
    : limit_(rows), threads_(threads) {
  parts_.resize(components.size());
  for (size_t i = 0; i < components.size(); ++i) {
    const Component& component = components[i];
    if (has_owners(component.dtype) || !component.shape.is_static()) continue;
    // The declared size may exceed any memory.
    const int64_t count = checked_count(component.shape.dims());
    const auto bytes = checked_multiply(count, static_cast<int64_t>(dtype_size(component.dtype)));
    const auto total = checked_multiply(bytes, rows);
    if (count <= 0 || !total) continue;
    const bool small = *total <= kSmallBytes && component.shape.rank() + 1 < kMaxRank;
    if (!small && *total < kPooledBytes) continue;
    parts_[i].small = small;
    if (small) parts_[i].buffer = Buffer::allocate(static_cast<size_t>(*total));
    parts_[i].row_bytes = static_cast<size_t>(*bytes);
    parts_[i].dtype = component.dtype;
    parts_[i].row_shape = component.shape;
  }
}

void BatchBuffer::clear() {
  rows_ = 0;
  lose();
}

void BatchBuffer::lose() {
  // Buffers stay as scratch memory until a batch is finished.
  for (Part& part : parts_) part.column.clear();
}

void BatchBuffer::reserve(Context& ctx, Part& part, int64_t rows) {
  size_t needed = static_cast<size_t>(rows) * part.row_bytes;
  if (part.buffer && part.buffer->size() >= needed) return;
  const MemoryBudget* budget = ctx.runtime().budget.get();
  const int64_t first = budget ? std::min(kFirstBytes, budget->limit() / 8) : kFirstBytes;
  int64_t whole = limit_ > first / static_cast<int64_t>(part.row_bytes) ? 2 * rows : limit_;
  BufferRef fresh =
      ctx.session.pool().allocate(std::max(needed, static_cast<size_t>(whole) * part.row_bytes));
  if (part.buffer && rows_ > 0) {
    std::memcpy(fresh->data(), part.buffer->data(), static_cast<size_t>(rows_) * part.row_bytes);
  }
  part.buffer = std::move(fresh);
}

void BatchBuffer::offer_target(Context& ctx, Port& input, int count) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (part.row_bytes == 0 || part.small) continue;
    reserve(ctx, part, rows_ + count);
    input.bind_target(i, part.buffer, part.buffer->data() + static_cast<size_t>(rows_) * part.row_bytes,
                      static_cast<size_t>(count) * part.row_bytes);
  }
}

void BatchBuffer::add(Context& ctx, const Block& block, int begin, int count) {
  if (rows_ == 0) origin_ = block.origins.of(begin);
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const Column& column = block.columns[i];
    if (part.row_bytes == 0) {
      part.column.append(static_cast<int>(rows_), column, begin, count);
      continue;
    }
    if (!part.small) reserve(ctx, part, rows_ + count);
    copy(ctx, part, column, begin, count);
  }
  rows_ += count;
}

void BatchBuffer::copy(Context& ctx, const Part& part, const Column& column, int begin, int count) const {
  const size_t bytes = part.row_bytes;
  uint8_t* const to = part.buffer->data() + static_cast<size_t>(rows_) * bytes;
  const auto copy_rows = [&](int first, int last) {
    uint8_t* at = to + static_cast<size_t>(first) * bytes;
    if (column.dense()) {
      const uint8_t* from = column.tensor().data + static_cast<size_t>(begin + first) * bytes;
      if (from != at) std::memmove(at, from, static_cast<size_t>(last - first) * bytes);
      return;
    }
    for (int row = first; row < last; ++row, at += bytes) {
      std::memcpy(at, column.list()[static_cast<size_t>(begin + row)].data, bytes);
    }
  };
  const size_t total = static_cast<size_t>(count) * bytes;
  // Rows that were made in their place, or lie in the batch's buffer elsewhere, are not copied from another
  // one.
  const bool apart = !column.dense() || column.tensor().buffer != part.buffer;
  if (threads_ <= 1 || total < 2 * kPartBytes || !apart) return copy_rows(0, count);
  const int parts = static_cast<int>(std::min<size_t>(total / kPartBytes, static_cast<size_t>(count)));
  run_parts(*ctx.runtime().executor, threads_, parts, [&](int part_index) {
    copy_rows(static_cast<int>(static_cast<int64_t>(count) * part_index / parts),
              static_cast<int>(static_cast<int64_t>(count) * (part_index + 1) / parts));
  });
}

Status BatchBuffer::finish(Block& out) {
  out.reset(parts_.size());
  out.origins.add(0, rows_ > 1 ? origin_.of_group() : origin_);
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (part.small) {
      uint8_t* const to = out.columns[i].make_dense(part.dtype, part.row_shape.prepended(rows_), 1);
      std::memcpy(to, part.buffer->data(), static_cast<size_t>(rows_) * part.row_bytes);
      continue;
    }
    Tensor batch;
    if (part.row_bytes > 0) {
      batch.dtype = part.dtype;
      batch.shape = part.row_shape.prepended(rows_);
      batch.data = part.buffer->data();
      batch.buffer = std::move(part.buffer);
    } else {
      part.column.densify();
      if (!part.column.dense()) {
        Status status = different_shapes(part.column, i);
        clear();
        return status;
      }
      batch = part.column.tensor();
      part.column = Column();
    }
    out.columns[i].set_row(batch);
  }
  out.rows = 1;
  rows_ = 0;
  return Status();
}

}  // namespace weir
