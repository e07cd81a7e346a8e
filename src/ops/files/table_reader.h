// TableReader: the rows of one file of a table, those for which a condition holds if there is one. Its
// position is a row of the file. A row that fails is an error in its place; an error of the file ends it.
// Not thread-safe; reading blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/origins.h"
#include "core/runtime.h"
#include "format/file_reader.h"
#include "format/tables/arrow_rows.h"
#include "format/tables/table_format.h"
#include "ops/functions/apply.h"

namespace weir {

// Which rows are given: those for which a function of some columns holds.
struct TableWhere {
  // `columns` are all that the function may take; it is made to take only those that it uses. `condition`:
  // table_condition().
  TableWhere(const Opening& opening, const FunctionParam& where, const std::vector<FieldType>& columns,
             const std::string& condition);

  std::vector<FieldType> fields;
  std::string condition;
  Apply holds;

 private:
  struct Used {
    std::vector<FieldType> fields;
    FunctionParam function;
  };
  TableWhere(const Opening& opening, Used used, std::string told);
  static Used used_by(const FunctionParam& where, const std::vector<FieldType>& columns);
};

class TableReader {
 public:
  // Opens a file and checks that the fields fit it. Its rows are those of the columns `counted`. `where` may
  // be null, and outlives the reader.
  static Result<std::unique_ptr<TableReader>> open(FileSystem& files, const TableFormat& format,
                                                   const std::string& name,
                                                   const std::vector<FieldType>& fields,
                                                   const std::vector<FieldType>& counted,
                                                   const TableWhere* where);

  // -1 if unknown.
  int64_t rows() const { return rows_; }
  RecordPosition position() const { return {static_cast<uint64_t>(row_), static_cast<uint64_t>(row_)}; }
  // data_loss if the file has become shorter.
  // At most `count` rows are wanted there: unless they follow the last ones, no others are read.
  Status seek(RecordPosition position, int64_t count = INT64_MAX);
  // Puts up to `max_rows` rows into `out`, fewer if they take `max_bytes`. None at the end, or before an
  // error of the file, which is returned then.
  Status next_batch(Context& ctx, size_t max_rows, size_t max_bytes, Block& out);
  // Where the rows of the last batch came from.
  void add_origins(uint32_t source, Origins& origins) const;

 private:
  TableReader(std::unique_ptr<TableFile> file, int64_t rows, std::string name,
              const std::vector<FieldType>& fields, const TableWhere* where);

  Status begin();
  // Makes sure that there are rows to look at; false at the end.
  Result<bool> more();
  Status too_many(const std::string& found) const;
  bool gives_too_many() noexcept;
  Status next_rows(Context& ctx, size_t max_rows, size_t max_bytes, Block& out);
  void bind(const ArrowSchema& schema);
  void make(Context& ctx, TableRange rows, int64_t at, Block& out);
  void judge(Context& ctx, int64_t first);
  void keep_verdicts(int64_t first, Block& out) const;

  const std::unique_ptr<TableFile> file_;
  const int64_t rows_;
  const std::string name_;
  const std::vector<FieldType> wanted_;
  const TableWhere* const where_;
  std::vector<std::string> columns_;
  ArrowRows fields_;
  std::optional<ArrowRows> judged_;

  // The rows that are read, and the one that comes next.
  std::optional<std::vector<TableRange>> ranges_;
  size_t range_ = 0;
  int64_t row_ = 0;
  // How many rows the stream is yet to give; kept, since there may be as many ranges as batches.
  int64_t left_ = 0;
  std::unique_ptr<TableStream> stream_;
  // Of its batches.
  ArrowOwned<ArrowSchema> schema_;
  RefPtr<TableBatch> batch_;
  // The row of the batch that is `row_`.
  int64_t at_ = 0;
  // How many rows take the bytes that are wanted.
  int64_t row_bytes_ = 1;

  // Of the last batch: which rows of the Arrow batch were given, and the number of its first row.
  std::vector<int32_t> chosen_;
  int64_t batch_row_ = 0;
  Block columns_in_;
  Block verdict_;
};

}  // namespace weir
