#include "format/written_chunk.h"

#include <algorithm>
#include <cstring>

#include "core/checked.h"
#include "core/text.h"

namespace weir {

namespace {

// How a column is described, at its place in the chunk.
struct Descriptor {
  uint8_t dtype = 0;
  uint8_t uniform = 0;
  uint8_t rank = 0;
  uint8_t unused[5] = {};
  int64_t dims[kMaxRank] = {};
  uint64_t shapes_at = 0;
  uint64_t data_at = 0;
  uint64_t data_bytes = 0;
  uint64_t sizes_at = 0;
  uint64_t entries = 0;
  uint64_t unused_end[2] = {};
};
static_assert(sizeof(Descriptor) == 128 && std::is_trivially_copyable_v<Descriptor>);

// The number of columns, and zeros.
constexpr size_t kHeadBytes = kWrittenAlignment;

Status contradicts(std::string_view what) {
  return data_loss(concat("its ", what, " contradict each other"));
}

// Whether [at, at + bytes) lies in a chunk, where everything is aligned.
bool lies_in(uint64_t at, uint64_t bytes, size_t size) {
  return at % kWrittenAlignment == 0 && at <= size && bytes <= size - at;
}

void append(std::vector<uint8_t>& out, const void* data, size_t bytes) {
  const auto* from = static_cast<const uint8_t*>(data);
  out.insert(out.end(), from, from + bytes);
}

}  // namespace

ChunkBuilder::ChunkBuilder(std::vector<Component> components) {
  for (Component& component : components) {
    parts_.emplace_back();
    parts_.back().type = component;
  }
}

void ChunkBuilder::add_shape(Part& part, const Shape& shape, int rows) {
  if (part.uniform && (rows_ == 0 || part.shape == shape)) {
    part.shape = shape;
    return;
  }
  if (part.uniform) {
    part.uniform = false;
    part.shapes.assign(static_cast<size_t>(rows_), part.shape);
  }
  part.shapes.insert(part.shapes.end(), static_cast<size_t>(rows), shape);
}

void ChunkBuilder::add_entries(Part& part, const Tensor& tensor) {
  if (part.type.dtype != DType::string) {
    append(part.data, tensor.data, tensor.byte_size());
    bytes_ += tensor.byte_size();
    return;
  }
  for (const Str& text : tensor.entries<const Str>()) {
    part.sizes.push_back(text.size);
    append(part.data, text.data, text.size);
    bytes_ += text.size + sizeof(uint64_t);
  }
}

int ChunkBuilder::add(const Block& block, int begin, int end) {
  const auto row_bytes =
      static_cast<size_t>(std::max<int64_t>(1, block.byte_size() / std::max(1, block.rows)));
  const size_t room = bytes_ < kChunkBytes ? kChunkBytes - bytes_ : 0;
  const auto fitting = static_cast<int64_t>(std::clamp<size_t>(room / row_bytes, 1, kMaxBlockRows));
  const auto count =
      static_cast<int>(std::min({int64_t{end - begin}, fitting, std::max<int64_t>(0, kChunkRows - rows_)}));
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const Column& column = block.columns[i];
    if (column.dense()) {
      const Tensor rows = column.tensor().rows(begin, count);
      add_shape(part, rows.shape.tail(), count);
      add_entries(part, rows);
      continue;
    }
    for (int row = begin; row < begin + count; ++row) {
      const Tensor& tensor = column.list()[static_cast<size_t>(row)];
      // Its rows may differ, so each is looked at with those before it counted.
      const int64_t before = rows_;
      rows_ += row - begin;
      add_shape(part, tensor.shape, 1);
      rows_ = before;
      add_entries(part, tensor);
    }
  }
  rows_ += count;
  return count;
}

void ChunkBuilder::clear() {
  for (Part& part : parts_) {
    part.uniform = true;
    part.shapes.clear();
    part.data.clear();
    part.sizes.clear();
  }
  rows_ = 0;
  bytes_ = 0;
}

void ChunkBuilder::finish(std::vector<uint8_t>& out) {
  out.assign(kHeadBytes + parts_.size() * sizeof(Descriptor), 0);
  const auto columns = static_cast<uint32_t>(parts_.size());
  std::memcpy(out.data(), &columns, sizeof columns);
  // Returns where the bytes lie.
  const auto put = [&out](const void* data, size_t bytes) {
    out.resize(aligned_up(out.size()));
    const uint64_t at = out.size();
    if (bytes > 0) append(out, data, bytes);
    return at;
  };
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    Descriptor descriptor;
    descriptor.dtype = static_cast<uint8_t>(part.type.dtype);
    descriptor.uniform = part.uniform;
    if (part.uniform) {
      descriptor.rank = static_cast<uint8_t>(part.shape.rank());
      std::copy(part.shape.dims().begin(), part.shape.dims().end(), descriptor.dims);
    } else {
      int rank = 0;
      for (const Shape& shape : part.shapes) rank = std::max(rank, shape.rank());
      descriptor.rank = static_cast<uint8_t>(rank);
      std::vector<int64_t> shapes(part.shapes.size() * static_cast<size_t>(rank + 1), 0);
      for (size_t row = 0; row < part.shapes.size(); ++row) {
        int64_t* at = shapes.data() + row * static_cast<size_t>(rank + 1);
        *at = part.shapes[row].rank();
        std::copy(part.shapes[row].dims().begin(), part.shapes[row].dims().end(), at + 1);
      }
      descriptor.shapes_at = put(shapes.data(), shapes.size() * sizeof(int64_t));
    }
    if (part.type.dtype == DType::string) {
      descriptor.sizes_at = put(part.sizes.data(), part.sizes.size() * sizeof(uint64_t));
      descriptor.entries = part.sizes.size();
    } else {
      descriptor.entries = part.data.size() / dtype_size(part.type.dtype);
    }
    descriptor.data_at = put(part.data.data(), part.data.size());
    descriptor.data_bytes = part.data.size();
    std::memcpy(out.data() + kHeadBytes + i * sizeof descriptor, &descriptor, sizeof descriptor);
  }
  out.resize(aligned_up(out.size()));
  clear();
}

Shape WrittenChunk::shape_of(const Part& part, int64_t row) const {
  if (part.uniform) return part.shape;
  const int64_t* at = part.shapes + row * (part.rank + 1);
  return Shape(std::span(at + 1, static_cast<size_t>(*at)));
}

// Checks every size, so that rows can be given without looking again.
Result<WrittenChunk::Part> WrittenChunk::parse_part(std::span<uint8_t> bytes, size_t at, int64_t rows,
                                                    const Component& component) {
  Descriptor read;
  std::memcpy(&read, bytes.data() + at, sizeof read);
  if (read.dtype != static_cast<uint8_t>(component.dtype)) return contradicts("dtypes");
  if (read.rank > kMaxRank || read.uniform > 1) return contradicts("shapes");
  Part part;
  part.dtype = component.dtype;
  part.uniform = read.uniform == 1;
  part.rank = read.rank;
  uint64_t entries = 0;
  const auto add_rows = [&](const Shape& shape, int64_t count) {
    const int64_t each = checked_count(shape.dims());
    if (each < 0 || !component.shape.compatible(shape)) return false;
    const auto all = checked_multiply(static_cast<uint64_t>(each), static_cast<uint64_t>(count));
    const auto sum = checked_add(all, entries);
    entries = sum.value_or(0);
    return sum.has_value();
  };
  if (part.uniform) {
    part.shape = Shape(std::span(read.dims, static_cast<size_t>(part.rank)));
    if (!add_rows(part.shape, rows)) return contradicts("shapes");
  } else {
    const auto stride = static_cast<uint64_t>(part.rank + 1);
    if (!lies_in(read.shapes_at, static_cast<uint64_t>(rows) * stride * sizeof(int64_t), bytes.size()))
      return contradicts("shapes");
    part.shapes = reinterpret_cast<const int64_t*>(bytes.data() + read.shapes_at);
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t* dims = part.shapes + row * static_cast<int64_t>(stride);
      if (*dims < 0 || *dims > part.rank) return contradicts("shapes");
      if (!add_rows(Shape(std::span(dims + 1, static_cast<size_t>(*dims))), 1)) return contradicts("shapes");
    }
  }
  if (entries != read.entries || !lies_in(read.data_at, read.data_bytes, bytes.size()))
    return contradicts("sizes");
  part.entries = entries;
  part.data = bytes.data() + read.data_at;
  part.data_bytes = read.data_bytes;
  if (component.dtype != DType::string) {
    const size_t size = dtype_size(component.dtype);
    if (entries != read.data_bytes / size || read.data_bytes % size != 0) return contradicts("sizes");
    if (component.dtype == DType::boolean) {
      for (uint8_t& entry : std::span(part.data, part.data_bytes)) entry = entry != 0;
    }
    return part;
  }
  if (entries > bytes.size() / sizeof(uint64_t) ||
      !lies_in(read.sizes_at, entries * sizeof(uint64_t), bytes.size())) {
    return contradicts("sizes");
  }
  part.sizes = reinterpret_cast<const uint64_t*>(bytes.data() + read.sizes_at);
  uint64_t left = read.data_bytes;
  for (uint64_t i = 0; i < entries; ++i) {
    if (part.sizes[i] > left) return contradicts("sizes");
    left -= part.sizes[i];
  }
  if (left != 0) return contradicts("sizes");
  return part;
}

Result<WrittenChunk> WrittenChunk::parse(BufferRef buffer, std::span<uint8_t> bytes, int64_t rows,
                                         std::span<const Component> components) {
  uint32_t columns = 0;
  if (bytes.size() < kHeadBytes) return contradicts("sizes");
  std::memcpy(&columns, bytes.data(), sizeof columns);
  if (columns != components.size() || columns > (bytes.size() - kHeadBytes) / sizeof(Descriptor))
    return contradicts("columns");
  WrittenChunk out;
  out.rows_ = rows;
  out.buffer_ = std::move(buffer);
  for (size_t i = 0; i < columns; ++i) {
    auto part = parse_part(bytes, kHeadBytes + i * sizeof(Descriptor), rows, components[i]);
    if (!part.ok()) return part.status();
    out.parts_.push_back(*std::move(part));
  }
  return out;
}

bool WrittenChunk::stacked() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.uniform && part.shape.rank() < kMaxRank; });
}

void WrittenChunk::go_to(int64_t row) {
  const bool back = row < next_;
  if (back) next_ = 0;
  for (Part& part : parts_) {
    if (back) part.entry = part.byte = 0;
    uint64_t entry = part.entry;
    if (part.uniform) {
      entry += static_cast<uint64_t>(part.shape.count()) * static_cast<uint64_t>(row - next_);
    } else {
      for (int64_t i = next_; i < row; ++i) entry += static_cast<uint64_t>(shape_of(part, i).count());
    }
    if (part.sizes != nullptr) {
      for (uint64_t i = part.entry; i < entry; ++i) part.byte += part.sizes[i];
    }
    part.entry = entry;
  }
  next_ = row;
}

// Fills the entries of a string tensor from `entry` on; their first byte is `byte`.
Tensor WrittenChunk::strings(const Part& part, uint64_t entry, uint64_t& byte, const Shape& shape) const {
  Tensor out = Tensor::allocate(DType::string, shape);
  for (Str& text : out.entries<Str>()) {
    text = Str(reinterpret_cast<const char*>(part.data + byte), part.sizes[entry]);
    byte += part.sizes[entry++];
  }
  return out;
}

void WrittenChunk::give_column(Part& part, int count, Column& out) const {
  // One tensor, or one for each row where shapes differ or are too high to be stacked.
  uint64_t entry = part.entry;
  uint64_t byte = part.byte;
  OwnersRef owners;
  if (part.dtype == DType::string) {
    owners = make_ref<Owners>();
    owners->list.push_back(buffer_);
  }
  const auto take = [&](const Shape& shape) {
    Tensor tensor;
    if (part.dtype == DType::string) {
      tensor = strings(part, entry, byte, shape);
      tensor.owners = owners;
    } else {
      tensor.dtype = part.dtype;
      tensor.shape = shape;
      tensor.data = part.data + entry * dtype_size(part.dtype);
      tensor.buffer = buffer_;
    }
    entry += static_cast<uint64_t>(shape.count());
    return tensor;
  };
  if (part.uniform && part.shape.rank() < kMaxRank) {
    out.set_dense(take(part.shape.prepended(count)));
  } else {
    std::vector<Tensor>& list = out.make_list();
    for (int64_t row = next_; row < next_ + count; ++row) list.push_back(take(shape_of(part, row)));
  }
  part.entry = entry;
  part.byte = byte;
}

void WrittenChunk::give(int count, Block& out) {
  out.reset(parts_.size());
  moved_ = parts_;
  for (size_t i = 0; i < parts_.size(); ++i) give_column(moved_[i], count, out.columns[i]);
  out.rows = count;
  parts_.swap(moved_);
  next_ += count;
}

}  // namespace weir
