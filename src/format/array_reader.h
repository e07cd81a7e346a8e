// ArrayReader: the rows of an array in a file, one after the other, as blocks of one column.
//
// Owns its stream; not thread-safe; only the file system blocks. Errors name file, offset and record; one
// loses the rest of the file, except for a row of strings that are none, which is an error in its place.
// Rows are read to where they belong, or if `piece_bytes` is not 0, through a buffer of so many bytes.
#pragma once

#include <memory>

#include "core/block.h"
#include "format/array_entries.h"
#include "format/file_reader.h"
#include "format/inflate.h"

namespace weir {

class ArrayReader {
 public:
  ArrayReader(std::unique_ptr<ByteStream> stream, ArrayLayout layout, size_t piece_bytes = 0);

  RecordPosition position() const { return {offset_of(row_), static_cast<uint64_t>(row_)}; }
  // Goes to a position that position() returned for the same file; data_loss if it has fewer rows now.
  Status seek(RecordPosition position);
  // Fills `out` with up to max_rows rows of about max_bytes bytes, at least one; none at the end.
  Status next_batch(size_t max_rows, size_t max_bytes, Block& out);

 private:
  uint64_t offset_of(int64_t row) const {
    return layout_.begin + static_cast<uint64_t>(row) * layout_.stride;
  }
  // Reads `rows` rows to `to`, one after the other; fewer only if the file ends or a read fails.
  Result<int> read_rows(int rows, uint8_t* to);
  Result<uint64_t> read_bytes(uint64_t offset, std::span<uint8_t> to);
  Result<uint64_t> read_file(uint64_t offset, std::span<uint8_t> to);
  // The part of the piece from `offset` on, which is read if it isn't there; empty at the end.
  Result<std::span<const uint8_t>> piece_at(uint64_t offset);

  const std::unique_ptr<ByteStream> stream_;
  const ArrayLayout layout_;
  BufferPool pool_;
  // The bytes that overlapping rows are copied from.
  BufferRef shared_;
  // What was read last of the file, if that is done in pieces.
  const size_t piece_bytes_;
  BufferRef piece_;
  uint64_t piece_begin_ = 0;
  uint64_t piece_size_ = 0;
  int64_t row_ = 0;
  // Why the last rows could not be read whole; they are given up to there first.
  Status failed_;
};

}  // namespace weir
