#include "dataset/batch_buffer.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"

namespace weir {

namespace {

// Batches of this size or more use pooled buffers.
constexpr int64_t kPooledBytes = 64 << 10;
// Before its rows have come, a buffer is no larger than this, whatever the batch size says.
constexpr int64_t kFirstBytes = int64_t{256} << 20;

Status different_shapes(const Column& column, size_t component) {
  const auto& list = column.list();
  const Shape& first = list[0].shape;
  if (first.rank() == kMaxRank) {
    return invalid_argument(expected_found(concat("elements of a rank below ", kMaxRank), first.to_string()));
  }
  for (size_t i = 1; i < list.size(); ++i) {
    if (list[i].shape == first) continue;
    auto name = [](const Shape& shape) { return shape.rank() == 0 ? std::string("[]") : shape.to_string(); };
    return invalid_argument(expected_found(
        concat("elements of one shape, ", name(first), " like the first one"),
        concat(name(list[i].shape), " in component ", component, " of element ", i),
        "padded_batch fills them up; a reshape in a map before the batch gives them one shape"));
  }
  return internal_error("rows of one shape were not joined");
}

}  // namespace

BatchBuffer::BatchBuffer(const std::vector<Component>& components, int64_t rows) : limit_(rows) {
  parts_.resize(components.size());
  for (size_t i = 0; i < components.size(); ++i) {
    const Component& component = components[i];
    if (has_owners(component.dtype) || !component.shape.is_static()) continue;
    // The declared size may exceed any memory.
    const int64_t count = checked_count(component.shape.dims());
    int64_t bytes, total;
    if (count <= 0 ||
        __builtin_mul_overflow(count, static_cast<int64_t>(dtype_size(component.dtype)), &bytes) ||
        __builtin_mul_overflow(bytes, rows, &total) || total < kPooledBytes) {
      continue;
    }
    parts_[i].row_bytes = static_cast<size_t>(bytes);
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
  int64_t whole = limit_ > kFirstBytes / static_cast<int64_t>(part.row_bytes) ? 2 * rows : limit_;
  BufferRef fresh =
      ctx.runtime().pool->allocate(std::max(needed, static_cast<size_t>(whole) * part.row_bytes));
  if (part.buffer && rows_ > 0) {
    std::memcpy(fresh->data(), part.buffer->data(), static_cast<size_t>(rows_) * part.row_bytes);
  }
  part.buffer = std::move(fresh);
}

void BatchBuffer::offer_target(Context& ctx, Port& input, int count) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (part.row_bytes == 0) continue;
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
    reserve(ctx, part, rows_ + count);
    uint8_t* to = part.buffer->data() + static_cast<size_t>(rows_) * part.row_bytes;
    if (column.dense()) {
      const uint8_t* from = column.tensor().data + static_cast<size_t>(begin) * part.row_bytes;
      if (from != to) std::memmove(to, from, static_cast<size_t>(count) * part.row_bytes);
      continue;
    }
    for (int row = begin; row < begin + count; ++row, to += part.row_bytes) {
      std::memcpy(to, column.list()[static_cast<size_t>(row)].data, part.row_bytes);
    }
  }
  rows_ += count;
}

Status BatchBuffer::finish(Block& out) {
  out.reset(parts_.size());
  out.origins.add(0, origin_);
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
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
