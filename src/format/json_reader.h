// JsonReader: the objects of a file of JSON lines as rows, as JsonRows makes them. Lines of white space are
// passed over, and a byte-order mark at the beginning of the file. A line with a mistake is a failed row, and
// the next one follows. Strings are views of the file's buffers.
#pragma once

#include <vector>

#include "format/file_reader.h"
#include "format/json/json_rows.h"

namespace weir {

class JsonReader : public FileReader {
 public:
  JsonReader(std::unique_ptr<ByteStream> stream, const std::vector<FieldType>& fields,
             uint64_t record_bytes_limit = kRecordBytesLimit, size_t block_bytes = kBlockBytes);

  // Puts up to `max_rows` rows into `out`, and no more once they take `max_bytes` bytes of the file. None at
  // the end, or before an error of the file, which is returned then.
  Status next_batch(size_t max_rows, size_t max_bytes, Block& out);

 private:
  void read_rows(size_t max_rows, size_t max_bytes);
  // Finds the tokens of the lines that come next; false at the end and after an error.
  bool next_lines();
  // How many bytes the next lines have, of which the last may lack its end; 0 at the end and after an error.
  size_t whole_lines();
  void next_line();
  void add(std::string_view line, size_t begin);
  void finish(Block& out);

  JsonRows rows_;
  JsonIndex index_;
  // Lines whose tokens were found, where they lie in the file, and how many bytes of them were read.
  std::string_view lines_;
  uint64_t lines_offset_ = 0;
  size_t read_ = 0;
  const uint32_t* token_ = nullptr;
  // One of them isn't text, so each has tokens of its own.
  bool one_by_one_ = false;
  // Of the rows of the batch that is being filled.
  std::vector<BufferRef> owners_;
};

}  // namespace weir
