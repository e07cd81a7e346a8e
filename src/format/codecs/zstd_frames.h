// ZstdTable: where the frames of a zstd file are, in zstd's seekable format: a frame that decoders pass over,
// at the end of the file. open_zstd_frames: the decompressed bytes of such a file by their positions.
//
// The table is little-endian: 0x184d2a5e, the size of the rest (4 bytes each); for each frame its compressed
// and its decompressed size (4 each); the number of frames (4), a byte of flags, 0x8f92eab1.
#pragma once

#include "format/codec.h"

namespace weir {

// How many bytes weir puts into one frame: reading any record by its position decodes so many.
inline constexpr size_t kZstdFrameBytes = size_t{256} << 10;

class ZstdTable {
 public:
  bool empty() const { return sizes_.empty(); }
  // REQUIRES: both are below 4 GiB
  void add(size_t compressed, size_t decompressed);
  void write(std::vector<uint8_t>& out) const;

 private:
  std::vector<uint32_t> sizes_;
};

// failed_precondition if the file has no table, data_loss if the table does not fit the file. A read decodes
// the frames that it touches, and keeps the last. Memory: 16 bytes for each frame, and the largest frame.
Result<RefPtr<RandomAccessFile>> open_zstd_frames(RefPtr<RandomAccessFile> file);

}  // namespace weir
