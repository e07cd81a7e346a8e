// RangeChecksums: checksums of many ranges of a stream that may overlap, in time linear in the stream: each
// byte of it is hashed once, and of each range a bounded number of bytes more. Takes 4 bytes for 256 of the
// stream beyond the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir {

class RangeChecksums {
 public:
  // The CRC-32C of `size` bytes from the offset `from` on. `bytes` are those of the stream from `begin` on,
  // the position of its reader; if that goes back, the computation starts again.
  // REQUIRES: begin <= from, and `bytes` reach from + size
  uint32_t of(std::span<const uint8_t> bytes, uint64_t begin, uint64_t from, size_t size);
  // Ranges that begin before it cost little.
  uint64_t end() const { return marks_.empty() ? 0 : end_; }
  // How many bytes were hashed so far.
  uint64_t hashed_bytes() const { return hashed_bytes_; }

 private:
  uint32_t hash(const uint8_t* bytes, size_t size, uint32_t crc);
  void drop_before(uint64_t offset);

  // The checksums of the bytes before each step, counted from some offset on; the last one is that before
  // end_.
  std::vector<uint32_t> marks_;
  uint64_t end_ = 0;
  uint64_t begin_ = 0;
  uint64_t hashed_bytes_ = 0;
};

}  // namespace weir
