// TableFormat: a format of files that hold tables, such as Parquet, as an extension reads it. Columns come
// in batches of rows, through Arrow's C data interface.
//
// A TableFormat may be used on any thread; a TableFile, and what it gives, by one thread at a time. Errors of
// damaged files are data_loss; those of reading are the file system's.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "format/tables/arrow_abi.h"
#include "fs/file_system.h"

namespace weir {

// `count` rows of a file from row `first` on.
struct TableRange {
  int64_t first = 0;
  int64_t count = 0;
};

// Batches of rows, in order.
class TableStream {
 public:
  virtual ~TableStream() = default;
  // A struct with the columns that were asked for, those that there are.
  virtual Result<ArrowOwned<ArrowSchema>> schema() = 0;
  // Not there at the end.
  virtual Result<ArrowOwned<ArrowArray>> next() = 0;
};

class TableFile {
 public:
  virtual ~TableFile() = default;
  // A struct with all columns of the file.
  virtual const ArrowSchema& schema() const = 0;
  // How many there are; -1 if that is not known before they are read.
  virtual int64_t rows() const = 0;
  // The rows for which the condition may hold, in rising order (table_condition.h).
  virtual Result<std::vector<TableRange>> select(std::string_view condition) = 0;
  // Columns by the names on their paths, joined by NUL: "user\0name". Rows in rising order. Must not be used
  // after the file is gone.
  virtual Result<std::unique_ptr<TableStream>> read(std::span<const std::string> columns,
                                                    std::span<const TableRange> rows) = 0;
};

class TableFormat : public RefCounted {
 public:
  virtual Result<std::unique_ptr<TableFile>> open(RefPtr<RandomAccessFile> file) const = 0;
};

}  // namespace weir
