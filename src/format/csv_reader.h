// CsvReader: the rows of a table in text form, as CsvRows makes them. After a row with a mistake, which is a
// failed row, the next one follows. A file whose header has other names than that of the first file is
// invalid_argument. Strings are views of the file's buffers.
#pragma once

#include <vector>

#include "core/archive.h"
#include "format/csv_rows.h"
#include "format/file_reader.h"

namespace weir {

// The names of the columns in the first file of a list that has a header.
struct CsvNames {
  // In quotes; empty: none yet.
  std::string names;
  std::string file;

  void state(Archive& archive);
};

class CsvReader : public FileReader {
 public:
  // `first`: null, or what the names of this file are compared with, or noted in if there are none.
  CsvReader(std::unique_ptr<ByteStream> stream, CsvFormat format,
            uint64_t record_bytes_limit = kRecordBytesLimit, size_t block_bytes = kBlockBytes,
            CsvNames* first = nullptr);

  // As of any FileReader. Where columns are found by their names it reads the header first.
  Status seek(RecordPosition position);
  // Reads the header of a file of which nothing was read.
  Result<CsvPicks> read_header();

  // Puts up to `max_rows` rows into `out`, and no more once they take `max_bytes` bytes of the file. None at
  // the end, or before an error of the file, which is returned then.
  Status next_batch(size_t max_rows, size_t max_bytes, Block& out);

 private:
  void skip_header();
  // Reads a row by `parse` and returns how many bytes it has; 0 at the end and after an error.
  template <class Parse>
  size_t read(Parse parse);
  // False at the end and after an error.
  bool next_row();
  void finish(Block& out);

  // Of the header that was parsed.
  void take_names();

  CsvRows rows_;
  CsvNames* const first_;
  // Of the rows of the batch that is being filled.
  std::vector<BufferRef> owners_;
};

}  // namespace weir
