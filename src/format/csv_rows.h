// CsvRows: rows of a table in text form as columns of numbers and strings. A row with a mistake is a failed
// row. Strings are views of the text; only those with doubled quotes are copied. Not thread-safe.
//
//   rows.begin(n);
//   while (rows.parse(at, end, true)) rows.add(file, offset, record);
//   rows.finish(block, owners);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/block.h"
#include "core/buffer.h"
#include "core/status.h"
#include "format/csv_parser.h"

namespace weir {

struct CsvColumn {
  // int32, int64, float32, float64 or string.
  DType dtype = DType::invalid;
  // The default for empty fields; a scalar of that dtype. Without it an empty field is a mistake.
  std::optional<Tensor> fallback;
  // As the header has it, where columns are found by their names.
  std::string name{};
};

// The column that each field of a row is; -1: none.
using CsvPicks = std::vector<int>;

struct CsvFormat {
  std::vector<CsvColumn> columns;
  // Which fields of a row these are, ascending; empty: all, and a row has no others.
  std::vector<int64_t> select;
  // Which fields of a row are left out, ascending; only if `select` is empty.
  std::vector<int64_t> exclude;
  // The header says which fields the columns are, and how many a row has.
  bool by_name = false;
  // The first row of the file holds names, and is left out.
  bool header = false;
  char delimiter = ',';
  bool quotes = true;
  // A field of these bytes is empty, as is one without bytes.
  std::string na_value;
};

class CsvRows {
 public:
  explicit CsvRows(CsvFormat format);

  const CsvFormat& format() const { return format_; }
  // How many were added.
  int rows() const { return rows_; }
  // Whether the row that was parsed has a mistake.
  bool mistaken() const { return wrong_.kind != Wrong::Kind::nothing; }
  Mistake mistake() const { return describe(wrong_); }
  // The names of the header that was parsed, in quotes.
  const std::string& header() const { return header_; }
  // Finds the columns in the header that was parsed; what is wrong if it doesn't have each of them once.
  std::optional<Mistake> pick();
  const CsvPicks& picks() const { return picks_; }
  void pick(const CsvPicks& picks) { picks_ = picks; }

  // Forgets the rows. REQUIRES: at most `max_rows` are added
  void begin(size_t max_rows);
  // Read the row at `at` and step over it. False if it may continue beyond `end`; `last`: it can't.
  bool parse_header(const char*& at, const char* end, bool last);
  bool parse(const char*& at, const char* end, bool last);
  // Adds the row that was parsed; its place is that of an error.
  void add(const std::string& file, uint64_t offset, uint64_t record);
  // Adds a failed row.
  void add_failed(ErrorPtr error);
  // Fills the columns and errors of `out`, which has `format().columns`. The owners are those of the text.
  void finish(Block& out, const OwnersRef& owners);

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

  void set(size_t column, int64_t field, const CsvField& value);
  template <class T>
  void set_number(size_t column, int64_t field, std::string_view text);
  Mistake describe(const Wrong& wrong) const;
  std::string_view copy_of(std::string_view doubled);

  const CsvFormat format_;
  const CsvParser parser_;
  std::vector<Values> values_;
  RowErrors errors_;
  Wrong wrong_;
  int rows_ = 0;
  std::string header_;
  std::vector<std::string> names_;
  // Where columns are found by their names.
  CsvPicks picks_;
  // The memory of strings that were copied, the last of which has room left.
  std::vector<BufferRef> copies_;
  size_t copied_ = 0;
};

}  // namespace weir
