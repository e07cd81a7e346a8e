// WrittenReader: reads the elements of a folder that WrittenWriter published, in the order in which they were
// written.
//
// All files are opened at once, so replacing them does not affect a reader. A chunk is read with one pread
// into a pooled buffer, checked, and returned as views of it. One thread at a time. Nothing in a file is
// trusted: damage is data_loss with file and offset, and the next chunk follows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "format/written_chunk.h"
#include "format/written_manifest.h"

namespace weir {

class WrittenReader {
 public:
  // not_found if the files of this manifest were replaced.
  static Result<std::unique_ptr<WrittenReader>> open(FileSystem& files, const std::string& folder,
                                                     WrittenManifest manifest,
                                                     std::vector<Component> components);

  const WrittenManifest& manifest() const { return manifest_; }
  // The number of the next row.
  int64_t row() const { return row_; }
  // Moves to a row; beyond the last one is the end. Reads nothing, and keeps the chunk that was read last if
  // the row is in it.
  void seek(int64_t row);
  // Gives up to `rows` rows of about `bytes` bytes, all of one chunk, and returns their number; 0 at the end.
  // More than kMaxBlockRows are given only where they have one shape. After an error the next chunk follows.
  // If it throws, it has not moved.
  Result<int> next(int rows, int64_t bytes, Block& out);
  // Steps over up to `rows` rows of one chunk, as next() would, without their values.
  int pass(int rows);

 private:
  struct Shard {
    RefPtr<RandomAccessFile> file;
    // Where chunks begin, and where the last one ends.
    std::vector<uint64_t> offsets;
    std::vector<uint64_t> rows;
  };

  WrittenReader(WrittenManifest manifest, std::vector<Component> components);
  Status open_shard(FileSystem& files, const std::string& folder, size_t number);
  static Status check_header(RandomAccessFile& file, const WrittenManifest& manifest, size_t number);
  Status read_index(Shard& shard, const WrittenShard& written);
  Status number_rows();
  Status load_chunk();
  Status load_chunk(size_t number);
  Status unpack(const RandomAccessFile& file, uint64_t offset, uint64_t packed_bytes, uint64_t raw_bytes);
  int rows_here(int rows);

  const WrittenManifest manifest_;
  const std::vector<Component> components_;
  std::vector<Shard> shards_;
  // The first row of each chunk, and the number of all rows.
  std::vector<int64_t> starts_;
  int64_t row_ = 0;
  // The chunk that contains row_, and whether it was read.
  size_t number_ = 0;
  bool loaded_ = false;
  WrittenChunk chunk_;
  size_t chunk_bytes_ = 0;
  // Null until the first compressed chunk.
  std::unique_ptr<Decoder> decoder_;
  BufferPool pool_;
  BufferRef buffer_;
  // The chunk's bytes in buffer_.
  std::span<uint8_t> bytes_;
};

}  // namespace weir
