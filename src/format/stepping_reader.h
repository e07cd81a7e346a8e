// SteppingReader: reads parts of a file that lie one after the other. A file whose bytes are in memory for
// others, as those of remote files are, is read in order nevertheless, so that what follows is asked for
// ahead; only long steps pass over bytes there.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "fs/file_system.h"

namespace weir {

class SteppingReader {
 public:
  explicit SteppingReader(RandomAccessFile& file) : file_(file) {}

  // As RandomAccessFile::read_at().
  Result<size_t> read_at(uint64_t offset, std::span<uint8_t> out) {
    while (shares_ && offset >= end_) {
      if (offset - end_ > kLongStep) end_ = offset;
      WEIR_ASSIGN(shared_, file_.share(end_));
      shares_ = shared_.buffer != nullptr;
      begin_ = end_;
      end_ += shared_.end - shared_.begin;
    }
    if (!shares_ || offset < begin_) return file_.read_at(offset, out);
    const size_t size = static_cast<size_t>(std::min<uint64_t>(out.size(), end_ - offset));
    std::memcpy(out.data(), shared_.buffer->data() + shared_.begin + (offset - begin_), size);
    return size;
  }

 private:
  static constexpr uint64_t kLongStep = uint64_t{4} << 20;

  RandomAccessFile& file_;
  bool shares_ = true;
  // Bytes [begin_, end_) of the file.
  SharedBytes shared_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
};

}  // namespace weir
