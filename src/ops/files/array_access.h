// ArrayColumn: rows of arrays by their positions, as one column: those of one array after another, each in a
// file or in memory. Of a file at most `read_bytes` bytes are read at a time, if that is not 0. One thread at
// a time may use it; reading files blocks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dataset/access.h"
#include "format/array_entries.h"
#include "format/inflate.h"
#include "fs/few_open_files.h"

namespace weir {

class ArrayColumn {
 public:
  ArrayColumn(FileSystem& files, DType dtype, Shape row, size_t read_bytes = 0);

  // Adds the rows that `layout_in` finds in a file, or the error in place of them, which counts as one row.
  // REQUIRES: dtype and row are those of the column
  Status add(Context& ctx, const std::string& file,
             const std::function<Result<ArrayLayout>(ByteStream&)>& layout_in);
  // The same of rows whose origins somebody else tells; `bytes`, if not null, are in the file's place.
  Status add(RefPtr<RandomAccessFile> file, const ArrayLayout& layout, BufferRef bytes);
  int64_t count() const { return count_; }
  // Fills the column with these rows of the block, which has as many. Those that fail become its errors.
  void read(Context& ctx, std::span<const int64_t> positions, Column& column, Block& out);

 private:
  struct Part {
    std::string name;
    Result<ArrayLayout> layout;
    BufferRef bytes;
    // The number of the file among the session's names; 0: none.
    uint32_t source;
    RefPtr<RandomAccessFile> file;
    // The position of its first row.
    int64_t first = 0;
  };

  Status add(Part part);
  Part& part_of(int64_t position);
  Status read_run(Part& part, int64_t row, int count, uint8_t* to);
  Status read_bytes(Part& part, uint64_t offset, std::span<uint8_t> to, int64_t row);

  FewOpenFiles files_;
  const DType dtype_;
  const Shape row_;
  const size_t most_read_;
  std::vector<Part> parts_;
  int64_t count_ = 0;
  uint64_t most_row_bytes_ = 0;
  BufferPool pool_;
};

// The rows of one column.
std::unique_ptr<Access> array_access(std::unique_ptr<ArrayColumn> column);

}  // namespace weir
