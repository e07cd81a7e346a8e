// SqliteRows: the rows of one query of an SQLite 3 database, which is only read.
//
//   WEIR_ASSIGN(auto rows, SqliteRows::open(file, query, columns, limit, session.cancelled));
//   Step got = rows->next(1024, block);
//
// SQLite is compiled in, so a host's own is another: closing the file gives up the locks that the host's has
// on it, and a host that writes a database must not have it read here at the same time. Used by one thread at
// a time; every call may block.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/block.h"
#include "core/pull.h"
#include "core/status.h"

namespace weir {

// unimplemented if SQLite was left out of this build.
Status check_sqlite();

class SqliteRows {
 public:
  struct Column {
    // An integer dtype, float32, float64, bool or string.
    DType dtype = DType::invalid;
    // The query's column of that name; empty: the one at the same place.
    std::string name;
  };

  // Runs the query, and locks the database against writers until its rows end. Values of more than `limit`
  // bytes are refused. Once `cancelled` is set, it stops.
  static Result<std::unique_ptr<SqliteRows>> open(const std::string& file, const std::string& query,
                                                  std::vector<Column> columns, int64_t limit,
                                                  const std::atomic<bool>& cancelled);
  virtual ~SqliteRows() = default;

  // The next rows, at most as many, and about as many bytes. A row with a value that its column does not take
  // is an error in its place, NULL is 0, false or "". An error ends the rows.
  virtual Step next(int rows, int64_t bytes, Block& out) = 0;
  // Steps over rows; end if there are fewer.
  virtual Step skip(int64_t rows) = 0;
};

}  // namespace weir
