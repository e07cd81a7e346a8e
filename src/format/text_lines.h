// LineReader: the lines of a text file as views into shared buffers.
//
// A line ends with \n or the end of the file and is given without it; every \r is dropped. The end of the
// file ends no line that has no bytes. Lines are bytes: nothing is decoded, and a byte-order mark stays. A
// file that begins like a compressed one, or like another format that is no text, is invalid_argument.
#pragma once

#include "format/file_reader.h"

namespace weir {

class LineReader : public FileReader {
 public:
  explicit LineReader(std::unique_ptr<ByteStream> stream, uint64_t record_bytes_limit = kRecordBytesLimit,
                      size_t block_bytes = kBlockBytes)
      : FileReader(std::move(stream), record_bytes_limit, block_bytes) {}

  // As RecordReader::next_batch.
  Status next_batch(size_t max_records, size_t max_bytes, RecordBatch& out);

 private:
  std::string_view next_line(RecordBatch& out);
  std::string_view without_returns(std::string_view line, RecordBatch& out);
  char* room(size_t size, RecordBatch& out);

  // Where lines go that can't be views; one of the owners of the batch that is being filled.
  BufferRef copies_;
  size_t copied_ = 0;
};

}  // namespace weir
