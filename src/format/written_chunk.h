// Chunks of written elements: rows by column as bytes. ChunkBuilder gathers rows, WrittenChunk reads them.
// docs/written-format.md describes the format. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/block.h"
#include "core/spec.h"

namespace weir {

// Positions of data in a chunk, of chunks in a shard and in memory are multiples of this.
inline constexpr size_t kWrittenAlignment = 64;
// A chunk is finished at the first row that reaches either. Handing a chunk from thread to thread takes as
// long as reading some 100 KB of it.
inline constexpr size_t kChunkBytes = size_t{1} << 20;
inline constexpr int64_t kChunkRows = 65536;

inline constexpr uint64_t aligned_up(uint64_t bytes) {
  return (bytes + kWrittenAlignment - 1) / kWrittenAlignment * kWrittenAlignment;
}

class ChunkBuilder {
 public:
  // REQUIRES: no component is a nested dataset
  explicit ChunkBuilder(std::vector<Component> components);

  int64_t rows() const { return rows_; }
  // True if the chunk should be finished before more is added.
  bool full() const { return bytes_ >= kChunkBytes || rows_ >= kChunkRows; }
  // Adds rows [begin, …) of a block, of which none has failed, up to `end` or until it is full. Returns how
  // many.
  int add(const Block& block, int begin, int end);
  // Writes the added rows and starts the next chunk.
  void finish(std::vector<uint8_t>& out);
  void clear();

 private:
  struct Part {
    Component type;
    // The shape of all rows so far, or the shape of each.
    bool uniform = true;
    Shape shape;
    std::vector<Shape> shapes;
    // Numbers, or the bytes of strings, whose sizes are in `sizes`.
    std::vector<uint8_t> data;
    std::vector<uint64_t> sizes;
  };

  void add_shape(Part& part, const Shape& shape, int rows);
  void add_entries(Part& part, const Tensor& tensor);

  std::vector<Part> parts_;
  int64_t rows_ = 0;
  size_t bytes_ = 0;
};

// A chunk's bytes, checked, and how far they were read.
class WrittenChunk {
 public:
  // Takes bytes that the checksum has approved; data_loss if they contradict each other or the components.
  static Result<WrittenChunk> parse(BufferRef buffer, std::span<uint8_t> bytes, int64_t rows,
                                    std::span<const Component> components);

  WrittenChunk() = default;
  int64_t rows() const { return rows_; }
  // The rows that were not given yet.
  int64_t left() const { return rows_ - next_; }
  // True if rows are stacked, so that any number of them costs a tensor per column.
  bool stacked() const;
  // The next row to give, one that was given or one that was not.
  void go_to(int64_t row);
  // Gives the next rows as views of the bytes. Moves on only if it does not throw.
  // REQUIRES: count <= left()
  void give(int count, Block& out);

 private:
  struct Part {
    DType dtype = DType::invalid;
    bool uniform = true;
    // Of each row, or the highest rank.
    Shape shape;
    int rank = 0;
    const int64_t* shapes = nullptr;
    uint8_t* data = nullptr;
    uint64_t data_bytes = 0;
    // Of strings: the size of each entry.
    const uint64_t* sizes = nullptr;
    uint64_t entries = 0;
    // The next row's first entry, and for strings its first byte.
    uint64_t entry = 0;
    uint64_t byte = 0;
  };

  static Result<Part> parse_part(std::span<uint8_t> bytes, size_t at, int64_t rows,
                                 const Component& component);
  Shape shape_of(const Part& part, int64_t row) const;
  Tensor strings(const Part& part, uint64_t entry, uint64_t& byte, const Shape& shape) const;
  void give_column(Part& part, int count, Column& out) const;

  BufferRef buffer_;
  std::vector<Part> parts_;
  // The parts after the rows that are being given.
  std::vector<Part> moved_;
  int64_t rows_ = 0;
  int64_t next_ = 0;
};

}  // namespace weir
