#include "dataset/joined_buffer.h"

#include <algorithm>
#include <cstring>

#include "core/owners.h"
#include "core/text.h"

namespace weir {

namespace {

using How = JoinedPart::How;

// The batch's strings lie where those of its rows do.
void keep_owners(const std::vector<Tensor>& rows, Tensor& batch) {
  auto owners = make_ref<Owners>();
  add_owners(owners->list, rows);
  const bool many = owners->list.size() > static_cast<size_t>(kMaxOwners);
  batch.owners = std::move(owners);
  if (many) batch = deep_copy(batch);
}

Tensor vector_of(const int64_t* entries, int64_t count) {
  Tensor out = Tensor::allocate(DType::int64, Shape{count});
  std::copy_n(entries, count, out.as<int64_t>());
  return out;
}

// [rows, the extents].
Tensor batch_shape(int64_t rows, const Shape& row) {
  const Shape shape = row.prepended(rows);
  return vector_of(shape.dims().data(), shape.rank());
}

}  // namespace

JoinedBuffer::JoinedBuffer(const std::vector<Component>& components, int64_t rows,
                           const std::vector<JoinedPart>& parts) {
  std::vector<Component> dense;
  size_t at = 0;
  for (const JoinedPart& part : parts) {
    const size_t count = part.how == How::sparse ? 3 : 1;
    parts_.push_back({part.how, part.shape, at, std::vector<std::vector<Tensor>>(count)});
    if (part.how == How::dense) {
      dense_.push_back(at);
      dense.push_back(components[at]);
    }
    at += count;
  }
  if (!dense.empty()) buffer_.emplace(dense, rows);
}

void JoinedBuffer::clear() {
  rows_ = 0;
  if (buffer_) buffer_->clear();
  lose();
}

void JoinedBuffer::lose() {
  if (buffer_) buffer_->lose();
  for (Part& part : parts_) {
    for (std::vector<Tensor>& rows : part.rows) rows.clear();
  }
}

void JoinedBuffer::add(Context& ctx, const Block& block, int begin, int count) {
  if (rows_ == 0) origin_ = block.origins.of(begin);
  tensor_bytes_ = ctx.runtime().limits.tensor_bytes;
  if (buffer_) {
    Block dense;
    dense.rows = block.rows;
    for (size_t component : dense_) dense.columns.push_back(block.columns[component]);
    buffer_->add(ctx, dense, begin, count);
  }
  for (Part& part : parts_) {
    if (part.how == How::dense) continue;
    for (size_t i = 0; i < part.rows.size(); ++i) {
      const Column& column = block.columns[part.first + i];
      for (int row = begin; row < begin + count; ++row) part.rows[i].push_back(column.row(row));
    }
  }
  rows_ += count;
}

std::string JoinedBuffer::where(const Part& part, size_t row) const {
  return concat(" in component ", part.first, " of element ", row);
}

Result<Tensor> JoinedBuffer::allocate(DType dtype, const Shape& shape) const {
  const int64_t count = checked_count(shape.dims());
  if (count >= 0 && count <= tensor_bytes_ / static_cast<int64_t>(dtype_size(dtype))) {
    return Tensor::allocate(dtype, shape);
  }
  return resource_exhausted(
      concat("a batch of shape ", shape.to_string(), " exceeds the limit tensor_bytes of ", tensor_bytes_));
}

// All entries one after the other, as `count` entries of that shape.
Result<Tensor> JoinedBuffer::joined(const std::vector<Tensor>& rows, const Shape& entry,
                                    int64_t count) const {
  WEIR_ASSIGN(Tensor out, allocate(rows[0].dtype, entry.prepended(count)));
  uint8_t* to = out.data;
  for (const Tensor& row : rows) {
    if (row.byte_size() > 0) std::memcpy(to, row.data, row.byte_size());
    to += row.byte_size();
  }
  if (has_owners(out.dtype)) keep_owners(rows, out);
  return out;
}

// Rows may be of different shapes; the batch has the largest.
Status JoinedBuffer::join_sparse(const Part& part, Components& out) const {
  const std::vector<Tensor>& indices = part.rows[0];
  const std::vector<Tensor>& shapes = part.rows[2];
  const int64_t rank = shapes[0].count();
  if (rank >= kMaxRank) {
    return invalid_argument(
        expected_found(concat("sparse tensors of a rank below ", kMaxRank), concat("the rank ", rank)));
  }
  Shape largest(shapes[0].entries<const int64_t>());
  int64_t count = 0;
  for (size_t row = 0; row < shapes.size(); ++row) {
    const Tensor& shape = shapes[row];
    if (shape.count() != rank) {
      return invalid_argument(expected_found(concat("sparse tensors of rank ", rank, " like the first one"),
                                             concat("rank ", shape.count(), where(part, row))));
    }
    if (indices[row].shape.dim(1) != rank || indices[row].shape.dim(0) != part.rows[1][row].count()) {
      return invalid_argument(
          concat("the indices of a sparse tensor do not fit its values", where(part, row)));
    }
    for (int d = 0; d < rank; ++d) largest.set_dim(d, std::max(largest[d], shape.as<int64_t>()[d]));
    count += part.rows[1][row].count();
  }
  WEIR_ASSIGN(Tensor places, allocate(DType::int64, Shape{count, rank + 1}));
  int64_t* to = places.as<int64_t>();
  for (size_t row = 0; row < indices.size(); ++row) {
    const int64_t* from = indices[row].as<int64_t>();
    for (int64_t i = 0; i < part.rows[1][row].count(); ++i, from += rank) {
      *to++ = static_cast<int64_t>(row);
      to = std::copy_n(from, rank, to);
    }
  }
  WEIR_ASSIGN(Tensor values, joined(part.rows[1], Shape(), count));
  out.push_back(std::move(places));
  out.push_back(std::move(values));
  out.push_back(batch_shape(rows_, largest));
  return Status();
}

// Every entry of a row becomes a value, zeros too.
Status JoinedBuffer::join_to_sparse(const Part& part, Components& out) const {
  const std::vector<Tensor>& rows = part.rows[0];
  const int rank = part.shape.rank();
  Shape largest = part.shape;
  for (int d = 0; d < rank; ++d) largest.set_dim(d, std::max<int64_t>(part.shape[d], 0));
  int64_t count = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    const Shape& shape = rows[row].shape;
    if (shape.rank() != rank) {
      return invalid_argument(
          expected_found(concat("tensors of rank ", rank), concat(shape_text(shape), where(part, row))));
    }
    for (int d = 0; d < rank; ++d) {
      if (part.shape[d] >= 0 && shape[d] > part.shape[d]) {
        return data_loss(expected_found(concat("at most ", part.shape[d], " entries along dimension ", d),
                                        concat(shape[d], where(part, row)),
                                        "give a larger row_shape, or none for the largest of each batch"));
      }
      largest.set_dim(d, std::max(largest[d], shape[d]));
    }
    count += shape.count();
  }
  WEIR_ASSIGN(Tensor places, allocate(DType::int64, Shape{count, rank + 1}));
  int64_t* to = places.as<int64_t>();
  for (size_t row = 0; row < rows.size(); ++row) {
    const Shape& shape = rows[row].shape;
    int64_t at[kMaxRank] = {};
    for (int64_t i = 0; i < shape.count(); ++i) {
      *to++ = static_cast<int64_t>(row);
      to = std::copy_n(at, rank, to);
      for (int d = rank - 1; d >= 0 && ++at[d] == shape[d]; --d) at[d] = 0;
    }
  }
  WEIR_ASSIGN(Tensor values, joined(rows, Shape(), count));
  out.push_back(std::move(places));
  out.push_back(std::move(values));
  out.push_back(batch_shape(rows_, largest));
  return Status();
}

// Rows differ in their first dimension only.
Status JoinedBuffer::join_to_ragged(const Part& part, Components& out) const {
  const std::vector<Tensor>& rows = part.rows[0];
  Tensor splits = Tensor::allocate(DType::int64, Shape{rows_ + 1});
  int64_t* to = splits.as<int64_t>();
  *to = 0;
  for (size_t row = 0; row < rows.size(); ++row, ++to) {
    const Shape& shape = rows[row].shape;
    if (shape.rank() == 0 || shape.tail() != rows[0].shape.tail()) {
      return invalid_argument(expected_found(
          concat("elements that differ in the first dimension only, like ", shape_text(rows[0].shape)),
          concat(shape_text(shape), where(part, row))));
    }
    to[1] = to[0] + shape[0];
  }
  WEIR_ASSIGN(Tensor values, joined(rows, rows[0].shape.tail(), *to));
  out.push_back(std::move(values));
  out.push_back(std::move(splits));
  return Status();
}

Status JoinedBuffer::join(const Part& part, Components& out) const {
  switch (part.how) {
    case How::sparse:
      return join_sparse(part, out);
    case How::to_sparse:
      return join_to_sparse(part, out);
    default:
      return join_to_ragged(part, out);
  }
}

Status JoinedBuffer::finish(Block& out) {
  Block dense;
  Status status = buffer_ ? buffer_->finish(dense) : Status();
  Components row;
  size_t next = 0;
  for (const Part& part : parts_) {
    if (!status.ok()) break;
    if (part.how == How::dense) {
      row.push_back(dense.columns[next++].row(0));
    } else {
      status = join(part, row);
    }
  }
  if (status.ok()) {
    out.reset(row.size());
    out.origins.add(0, rows_ > 1 ? origin_.of_group() : origin_);
    for (size_t i = 0; i < row.size(); ++i) out.columns[i].set_row(row[i]);
    out.rows = 1;
  }
  // Memory may have run out before; the rows count until then.
  clear();
  return status;
}

}  // namespace weir
