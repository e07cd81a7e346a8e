// FixedReader: the records of a file of a header, records of one length, and a footer, as views into shared
// buffers. A plain file whose size doesn't fit is invalid_argument before its first record. The size of a
// compressed one is not known before its end: data_loss after its last whole record, as where a plain one
// has become shorter.
#pragma once

#include "format/file_reader.h"

namespace weir {

struct FixedLayout {
  uint64_t record_bytes = 1;
  uint64_t header_bytes = 0;
  uint64_t footer_bytes = 0;
};

// Each number of bytes in a FixedLayout is at most this.
inline constexpr int64_t kMaxFixedBytes = int64_t{1} << 48;

// How many records a file has; -1 if its size is not known, since it is compressed. invalid_argument for a
// size that doesn't fit, resource_exhausted for records above the limit.
Result<int64_t> count_fixed_records(ByteStream& stream, const FixedLayout& layout,
                                    uint64_t record_bytes_limit);

class FixedReader : public FileReader {
 public:
  static Result<std::unique_ptr<FixedReader>> open(std::unique_ptr<ByteStream> stream, FixedLayout layout,
                                                   uint64_t record_bytes_limit = kRecordBytesLimit,
                                                   size_t block_bytes = kBlockBytes);

  // As RecordReader::next_batch.
  Status next_batch(size_t max_records, size_t max_bytes, RecordBatch& out);

 private:
  FixedReader(std::unique_ptr<ByteStream> stream, FixedLayout layout, int64_t count, uint64_t limit,
              size_t block_bytes)
      : FileReader(std::move(stream), limit, block_bytes), layout_(layout), count_(count) {}

  std::string_view next_record();
  bool skip_header();
  std::string_view fail_short(uint64_t found);

  const FixedLayout layout_;
  // The records when the file was opened; -1 if it is compressed.
  const int64_t count_;
};

}  // namespace weir
