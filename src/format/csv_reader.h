// CsvReader: the rows of a table in text form as columns of numbers and strings. A row with a mistake is a
// failed row, and the next one follows. Strings are views of the file's buffers; only those with doubled
// quotes are copied.
#pragma once

#include <optional>
#include <vector>

#include "core/block.h"
#include "format/csv_parser.h"
#include "format/file_reader.h"

namespace weir {

struct CsvColumn {
  // int32, int64, float32, float64 or string.
  DType dtype = DType::invalid;
  // The default for empty fields; a scalar of that dtype. Without it an empty field is a mistake.
  std::optional<Tensor> fallback;
};

struct CsvFormat {
  std::vector<CsvColumn> columns;
  // Which fields of a row these are, ascending; empty: all, and a row has no others.
  std::vector<int64_t> select;
  // Which fields of a row are left out, ascending; only if `select` is empty.
  std::vector<int64_t> exclude;
  // The first row of the file holds names, and is left out.
  bool header = false;
  char delimiter = ',';
  bool quotes = true;
  // A field of these bytes is empty, as is one without bytes.
  std::string na_value;
};

class CsvReader : public FileReader {
 public:
  CsvReader(std::unique_ptr<ByteStream> stream, CsvFormat format,
            uint64_t record_bytes_limit = kRecordBytesLimit, size_t block_bytes = kBlockBytes);

  // Puts up to `max_rows` rows into `out`, and no more once they take `max_bytes` bytes of the file. None at
  // the end, or before an error of the file, which is returned then.
  Status next_batch(size_t max_rows, size_t max_bytes, Block& out);

 private:
  // The values of a column: 8 bytes each, or strings.
  struct Values {
    std::vector<uint64_t> numbers;
    std::vector<Str> strings;
  };
  // The first thing that is wrong with a row; `mistake` is what a field's parser says, or null.
  struct Wrong {
    int64_t field;
    int64_t column;
    const char* mistake;
    std::string_view bytes;
    enum class Kind : uint8_t { nothing, field, missing, number, count } kind = Kind::nothing;
  };

  void skip_header();
  // Reads a row by `parse` and returns how many bytes it has; 0 at the end and after an error.
  template <class Parse>
  size_t read(Parse parse);
  // False at the end and after an error.
  bool next_row();
  // Read the row at `at`. False if it may continue beyond `end`.
  bool parse_header(const char*& at, const char* end, bool last);
  bool parse_row(const char*& at, const char* end, bool last);
  void set(size_t column, int64_t field, const CsvField& value);
  template <class T>
  void set_number(size_t column, int64_t field, std::string_view text);
  void fail_row(const Wrong& wrong);
  Mistake describe(const Wrong& wrong) const;
  std::string_view copy_of(std::string_view doubled);
  void begin(size_t max_rows);
  void finish(Block& out);

  const CsvFormat format_;
  const CsvParser parser_;
  std::vector<Values> values_;
  RowErrors errors_;
  Wrong wrong_;
  int rows_ = 0;
  // Of the rows of the batch that is being filled.
  std::vector<BufferRef> owners_;
  BufferRef copies_;
  size_t copied_ = 0;
};

}  // namespace weir
