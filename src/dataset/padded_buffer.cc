#include "dataset/padded_buffer.h"

#include <algorithm>
#include <cstring>

#include "core/owners.h"
#include "core/text.h"

namespace weir {

namespace {

// Calls f(shape, entries) for each row of the pieces.
template <class Piece, class F>
Status for_each_row(const std::vector<Piece>& pieces, const std::vector<int>& piece_rows, F f) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i].dense()) {
      for (const Tensor& tensor : pieces[i].list()) WEIR_TRY(f(tensor.shape, tensor.data));
      continue;
    }
    const Tensor& tensor = pieces[i].tensor();
    const Shape shape = tensor.shape.tail();
    const size_t bytes = static_cast<size_t>(shape.count()) * dtype_size(tensor.dtype);
    for (int row = 0; row < piece_rows[i]; ++row) {
      WEIR_TRY(f(shape, tensor.data + static_cast<size_t>(row) * bytes));
    }
  }
  return Status();
}

// Writes rows into their padded places.
class Writer {
 public:
  Writer(DType dtype, const Shape& shape, const Tensor& value, bool zeros)
      : entry_bytes_(dtype_size(dtype)), shape_(shape), value_(value), zeros_(zeros) {}

  // Writes one row.
  void write(uint8_t* to, const Shape& shape, const uint8_t* from) {
    // Dimensions after this one agree, so entries along it lie as in the row.
    int axis = shape.rank() - 1;
    size_t bytes = entry_bytes_;
    while (axis > 0 && shape[axis] == shape_[axis]) bytes *= static_cast<size_t>(shape[axis--]);
    if (axis < 0) {
      std::memcpy(to, from, bytes);
    } else {
      from_ = from;
      write_axis(to, shape, 0, axis, bytes);
    }
  }

 private:
  size_t padded_bytes(int after) const {
    size_t bytes = entry_bytes_;
    for (int d = after + 1; d < shape_.rank(); ++d) bytes *= static_cast<size_t>(shape_[d]);
    return bytes;
  }
  void write_axis(uint8_t* to, const Shape& shape, int axis, int last, size_t bytes) {
    const auto count = static_cast<size_t>(shape[axis]);
    const auto missing = static_cast<size_t>(shape_[axis] - shape[axis]);
    if (axis == last) {
      if (count * bytes > 0) std::memcpy(to, from_, count * bytes);
      from_ += count * bytes;
      return fill(to + count * bytes, missing * bytes);
    }
    const size_t step = padded_bytes(axis);
    for (size_t i = 0; i < count; ++i) write_axis(to + i * step, shape, axis + 1, last, bytes);
    fill(to + count * step, missing * step);
  }
  void fill(uint8_t* to, size_t bytes) const {
    if (bytes == 0) return;
    if (zeros_) {
      std::memset(to, 0, bytes);
      return;
    }
    // Doubles what is there.
    std::memcpy(to, value_.data, entry_bytes_);
    for (size_t done = entry_bytes_; done < bytes; done *= 2)
      std::memcpy(to + done, to, std::min(done, bytes - done));
  }

  const size_t entry_bytes_;
  const Shape& shape_;
  const Tensor& value_;
  const bool zeros_;
  const uint8_t* from_ = nullptr;
};

bool is_zero(const Tensor& value) {
  if (!value.buffer) return true;
  return std::all_of(value.data, value.data + dtype_size(value.dtype),
                     [](uint8_t byte) { return byte == 0; });
}

}  // namespace

PaddedBuffer::PaddedBuffer(const std::vector<Component>& components, int64_t, std::vector<Padding> padding) {
  parts_.resize(components.size());
  for (size_t i = 0; i < components.size(); ++i) {
    parts_[i].dtype = components[i].dtype;
    parts_[i].zeros = is_zero(padding[i].value);
    parts_[i].padding = std::move(padding[i]);
  }
}

void PaddedBuffer::clear() {
  rows_ = 0;
  lose();
}

void PaddedBuffer::lose() {
  for (Part& part : parts_) {
    part.pieces.clear();
    part.piece_rows.clear();
  }
}

void PaddedBuffer::add(Context& ctx, const Block& block, int begin, int count) {
  if (rows_ == 0) origin_ = block.origins.of(begin);
  pool_ = &ctx.session.pool();
  tensor_bytes_ = ctx.runtime().limits.tensor_bytes;
  for (size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].pieces.push_back(block.columns[i].slice(begin, count));
    parts_[i].piece_rows.push_back(count);
  }
  rows_ += count;
}

// The shape of each row of the batch.
Result<Shape> PaddedBuffer::shape_of(const Part& part, size_t component) const {
  const Shape& wanted = part.padding.shape;
  Shape largest = wanted;
  for (int d = 0; d < wanted.rank(); ++d) largest.set_dim(d, std::max<int64_t>(wanted[d], 0));
  int64_t element = 0;
  const auto where = [&] { return concat(" in component ", component, " of element ", element); };
  WEIR_TRY(for_each_row(part.pieces, part.piece_rows, [&](const Shape& shape, const uint8_t*) -> Status {
    if (shape.rank() != wanted.rank()) {
      return invalid_argument(
          expected_found(concat("tensors of rank ", wanted.rank()), concat(shape_text(shape), where())));
    }
    for (int d = 0; d < wanted.rank(); ++d) {
      if (shape[d] <= largest[d]) continue;
      if (wanted[d] >= 0) {
        return data_loss(expected_found(concat("at most ", wanted[d], " entries along dimension ", d),
                                        concat(shape[d], where()),
                                        "give a larger shape, or none for the largest of each batch"));
      }
      largest.set_dim(d, shape[d]);
    }
    ++element;
    return Status();
  }));
  return largest;
}

// The batch's strings lie where those of its rows do.
void PaddedBuffer::keep_owners(const Part& part, Tensor& batch) const {
  auto owners = make_ref<Owners>();
  for (const Column& piece : part.pieces) {
    add_owners(owners->list, piece.dense() ? std::span(&piece.tensor(), 1) : std::span(piece.list()));
  }
  add_owners(owners->list, {&part.padding.value, 1});
  const bool many = owners->list.size() > static_cast<size_t>(kMaxOwners);
  batch.owners = std::move(owners);
  if (many) batch = deep_copy(batch);
}

Status PaddedBuffer::write(const Part& part, const Shape& shape, Tensor& out) const {
  out.dtype = part.dtype;
  out.shape = shape.prepended(rows_);
  const int64_t count = checked_count(out.shape.dims());
  const auto entry_bytes = static_cast<int64_t>(dtype_size(part.dtype));
  if (count < 0 || count > tensor_bytes_ / entry_bytes) {
    return resource_exhausted(concat("a batch of shape ", out.shape.to_string(),
                                     " exceeds the limit tensor_bytes of ", tensor_bytes_));
  }
  out.buffer = pool_->allocate(static_cast<size_t>(count * entry_bytes));
  out.data = out.buffer->data();
  const size_t row_bytes = static_cast<size_t>(shape.count() * entry_bytes);
  uint8_t* to = out.data;
  Writer writer(part.dtype, shape, part.padding.value, part.zeros);
  WEIR_TRY(for_each_row(part.pieces, part.piece_rows, [&](const Shape& row, const uint8_t* from) {
    if (row_bytes > 0) writer.write(to, row, from);
    to += row_bytes;
    return Status();
  }));
  if (has_owners(part.dtype)) keep_owners(part, out);
  return Status();
}

Status PaddedBuffer::finish(Block& out) {
  std::vector<Tensor> batches(parts_.size());
  for (size_t i = 0; i < parts_.size(); ++i) {
    Result<Shape> shape = shape_of(parts_[i], i);
    Status status = shape.ok() ? write(parts_[i], *shape, batches[i]) : shape.status();
    if (status.ok()) continue;
    clear();
    return status;
  }
  out.reset(parts_.size());
  for (size_t i = 0; i < parts_.size(); ++i) out.columns[i].set_row(batches[i]);
  out.origins.add(0, rows_ > 1 ? origin_.of_group() : origin_);
  out.rows = 1;
  clear();
  return Status();
}

}  // namespace weir
