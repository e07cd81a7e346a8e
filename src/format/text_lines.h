// LineReader: the lines of a text file as views into shared buffers.
//
// A line ends with \n or the end of the file and is given without it; every \r is dropped. The end of the
// file ends no line that has no bytes. Lines are bytes: nothing is decoded, but a byte-order mark at the
// beginning of the file is left out. A file that begins like a compressed one, or like another format that is
// no text, is invalid_argument.
#pragma once

#include "format/file_reader.h"

namespace weir {

// Takes every \r out of lines. One that has some inside is copied.
class WithoutReturns {
 public:
  // Copies go into new memory from now on.
  void renew() { copies_ = nullptr; }
  // Puts the memory of a copy before the other owners, if it isn't one of them yet.
  template <class Owner>
  std::string_view of(std::string_view line, std::vector<Owner>& owners) {
    // Mostly there is just one, at the end.
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find('\r') == std::string_view::npos) return line;
    if (make_room(line.size())) owners.insert(owners.begin(), copies_);
    return copy(line);
  }

 private:
  // True if it is a new one.
  bool make_room(size_t size);
  std::string_view copy(std::string_view line);

  BufferRef copies_;
  size_t copied_ = 0;
};

class LineReader : public FileReader {
 public:
  explicit LineReader(std::unique_ptr<ByteStream> stream, uint64_t record_bytes_limit = kRecordBytesLimit,
                      size_t block_bytes = kBlockBytes)
      : FileReader(std::move(stream), record_bytes_limit, block_bytes) {}

  // As RecordReader::next_batch.
  Status next_batch(size_t max_records, size_t max_bytes, RecordBatch& out);

 private:
  std::string_view next_line(RecordBatch& out);

  WithoutReturns without_returns_;
};

}  // namespace weir
