// ByteStream: the bytes of a file, decompressed if need be. BlockReader: the same in large shared buffers.
//
// A stream owns its file. Not thread-safe. Damaged compressed data gives data_loss with file and offset.
// Memory is bounded: 100 KiB for decompression, or the window that the data claims, up to kMaxWindowBytes;
// and the blocks in use, which come from a pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/buffer.h"
#include "core/status.h"
#include "format/codec.h"
#include "fs/file_system.h"

namespace weir {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Reads up to out.size() bytes; fewer only before the end or an error, none at the end. Bytes before
  // an error come first.
  virtual Result<size_t> read(std::span<uint8_t> out) = 0;
  // Reads the next bytes where they are in memory already (RandomAccessFile::share).
  virtual Result<SharedBytes> share() { return SharedBytes{}; }
  // Moves to a position in the decompressed bytes, or to the end if that comes first. Cheap in a plain file;
  // else it reads up to the position.
  virtual Status seek(uint64_t offset) = 0;
  // The number of bytes, or -1 if only reading to the end tells.
  virtual Result<int64_t> size() { return -1; }
  virtual const std::string& file() const = 0;
};

// Of a compressed file `read_bytes` bytes are read at a time; 0: 64 KiB.
Result<std::unique_ptr<ByteStream>> open_stream(FileSystem& file_system, const std::string& name,
                                                Compression compression, size_t read_bytes = 0);
Result<std::unique_ptr<ByteStream>> open_stream(RefPtr<RandomAccessFile> file, Compression compression,
                                                size_t read_bytes = 0);

inline constexpr size_t kBlockBytes = 256 * 1024;

// Hands out runs of a stream as views into shared buffers; copies only what straddles two blocks.
class BlockReader {
 public:
  explicit BlockReader(std::unique_ptr<ByteStream> stream, size_t block_bytes = kBlockBytes);

  // Returns at least `size` bytes from offset() on, in one run; fewer only if the stream ends or fails first,
  // see status(). The bytes stay valid while somebody owns the buffer() of that moment. Runs of `likely`
  // bytes may follow: those that are read at once lie whole in the buffer.
  std::span<const uint8_t> peek(size_t size, size_t likely = 0) {
    return end_ - begin_ >= size ? std::span<const uint8_t>(data_ + begin_, end_ - begin_)
                                 : fill(size, likely);
  }
  // Returns more bytes than peek() has, from offset() on, for a run whose end is not known. What there is
  // moves seldom, and into memory for `most` bytes before it is much, so that a run of `most` is never there
  // twice.
  std::span<const uint8_t> extend(size_t most);
  // REQUIRES: peek() returned at least `size` bytes.
  void advance(size_t size) { begin_ += size; }

  const BufferRef& buffer() const { return buffer_; }
  // The position of the next byte in the decompressed bytes.
  uint64_t offset() const { return buffer_offset_ + begin_; }
  // Why there are no bytes beyond those of peek(); ok if the stream continues or has ended.
  const Status& status() const { return status_; }
  const std::string& file() const { return stream_->file(); }
  Status seek(uint64_t offset);
  void read_less(size_t block_bytes) { block_bytes_ = std::min(block_bytes_, block_bytes); }
  // That of the stream.
  Result<int64_t> size() { return stream_->size(); }
  // Where only decompressing them checks the bytes that are left, does that; status() has what is wrong.
  void check_rest();

 private:
  std::span<const uint8_t> fill(size_t size, size_t likely);
  void renew_buffer(size_t size);
  void read_more(size_t size, size_t run);
  bool take_shared();

  std::unique_ptr<ByteStream> stream_;
  size_t block_bytes_;
  BufferPool pool_;
  BufferRef buffer_;
  uint8_t* data_ = nullptr;
  size_t begin_ = 0;
  size_t end_ = 0;
  // Where the room in the buffer ends.
  size_t room_ = 0;
  uint64_t buffer_offset_ = 0;
  bool ended_ = false;
  // The stream has shared bytes, so that only a run that ends beyond them is copied.
  bool shares_ = false;
  Status status_;
};

}  // namespace weir
