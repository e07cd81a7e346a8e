#include "format/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <thread>
#include <utility>

#include "core/text.h"
#include "fs/file_system.h"
#include "fs/local_files.h"

namespace weir {

namespace {

// How long a database that somebody else writes is waited for, and how often it is looked at.
constexpr int kMostWaits = 5000;
constexpr std::chrono::milliseconds kWait{1};
// How many steps of SQLite's machine pass between two looks at `cancelled`.
constexpr int kStepsBetweenLooks = 10000;
// Where a database says how large its pages are: two bytes, 1 for the largest.
constexpr int kPageSizeAt = 16;
constexpr int64_t kLargestPage = 65536;

Code code_of(int extended) {
  switch (extended & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return Code::data_loss;
    case SQLITE_CANTOPEN:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_PROTOCOL:
      return Code::unavailable;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return Code::permission_denied;
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
    case SQLITE_FULL:
      return Code::resource_exhausted;
    default:
      return Code::invalid_argument;
  }
}

// Whether a later attempt may succeed with the same query.
bool may_pass(int extended) {
  const int code = extended & 0xff;
  return code == SQLITE_CANTOPEN || code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_IOERR ||
         code == SQLITE_PROTOCOL;
}

const char* advice_for(int extended) {
  if (extended == SQLITE_READONLY_ROLLBACK || extended == SQLITE_READONLY_RECOVERY)
    return "a writer was broken off; open the database with sqlite3 once, which undoes what was half written";
  switch (extended & 0xff) {
    case SQLITE_CANTOPEN:
      return "next to a database in WAL mode, SQLite creates files: its folder must be writable";
    case SQLITE_AUTH:
      return "a query reads one database and leaves SQLite's settings alone";
    default:
      return "";
  }
}

// Pragmas that take an argument and only read.
constexpr std::string_view kReadingPragmas[] = {
    "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
    "integrity_check",   "quick_check",      "table_info", "table_list", "table_xinfo"};

// Refuses what reaches beyond the database: other files, settings of the whole process, and the function that
// gives away an address. Writing fails by itself.
int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  const auto is = [](const char* name) {
    return [name](std::string_view known) { return sqlite3_stricmp(name, known.data()) == 0; };
  };
  bool refused = action == SQLITE_ATTACH || action == SQLITE_DETACH;
  if (action == SQLITE_FUNCTION) refused = is(second)("fts3_tokenizer");
  if (action == SQLITE_PRAGMA && second) refused = std::ranges::none_of(kReadingPragmas, is(first));
  return refused ? SQLITE_DENY : SQLITE_OK;
}

// What the query's columns become, gathered row by row.
struct Gathered {
  DType dtype = DType::invalid;
  int source = 0;
  std::vector<uint8_t> entries;
  // Of strings: the bytes of all, and where each ends.
  std::string bytes;
  std::vector<size_t> ends;

  void clear() {
    entries.clear();
    bytes.clear();
    ends.clear();
  }
  template <class T>
  void push(T value) {
    const auto* raw = reinterpret_cast<const uint8_t*>(&value);
    entries.insert(entries.end(), raw, raw + sizeof value);
  }
  void push_zero() {
    if (dtype == DType::string) {
      ends.push_back(bytes.size());
    } else {
      entries.resize(entries.size() + dtype_size(dtype));
    }
  }
  void give(int rows, Column& out) const {
    if (dtype != DType::string) {
      std::memcpy(out.make_dense(dtype, Shape(), rows), entries.data(), entries.size());
      return;
    }
    std::vector<std::string_view> views;
    views.reserve(ends.size());
    size_t begin = 0;
    for (size_t end : ends) {
      views.emplace_back(bytes.data() + begin, end - begin);
      begin = end;
    }
    out.set_dense(Tensor::strings(views, Shape{rows}));
  }
};

class Rows final : public SqliteRows {
 public:
  Rows(std::string file, const std::atomic<bool>& cancelled)
      : file_(std::move(file)), cancelled_(cancelled) {}
  ~Rows() override {
    if (statement_) sqlite3_finalize(statement_);
    if (database_) sqlite3_close(database_);
  }

  Status begin(const std::string& query, const std::vector<SqliteRows::Column>& columns, int64_t limit) {
    if (query.size() >= INT_MAX) return invalid_argument("the query is too long");
    // SQLite would end it there.
    if (query.find('\0') != std::string::npos)
      return mistaken(expected_found("a query without zero bytes", quote(query)));
    WEIR_TRY(open(limit));
    WEIR_TRY(lock());
    const char* rest = nullptr;
    const int prepared =
        sqlite3_prepare_v2(database_, query.data(), static_cast<int>(query.size()), &statement_, &rest);
    if (prepared != SQLITE_OK) return failed();
    const std::string_view behind(rest, static_cast<size_t>(query.data() + query.size() - rest));
    if (behind.find_first_not_of(" \t\r\n;") != std::string_view::npos)
      return mistaken(expected_found("one statement", concat("more: ", quote(behind))));
    const int count = statement_ ? sqlite3_column_count(statement_) : 0;
    if (count == 0) return mistaken(Mistake("the query returns no rows"));
    if (static_cast<size_t>(count) != columns.size()) {
      return mistaken(
          expected_found(concat("a query of ", columns.size(), " columns, as the spec has"), concat(count)));
    }
    return find_columns(columns);
  }

  Step next(int rows, int64_t bytes, Block& out) override {
    for (Gathered& column : columns_) column.clear();
    errors_.clear();
    int row = 0;
    for (int64_t used = 0; row < rows && used < bytes && !ended_ && failure_.ok(); ++row) {
      Step got = step();
      if (got.error()) {
        failure_ = Status(got.error());
        break;
      }
      if (got.answer() != PullResult::rows) break;
      used += gather(row);
    }
    if (const Status cut = check_size(); !cut.ok()) {
      row = 0;
      failure_ = cut;
    }
    if (row > 0) {
      if (row < rows && cancelled_.load(std::memory_order_relaxed)) return PullResult::cancelled;
      out.reset(columns_.size());
      for (size_t i = 0; i < columns_.size(); ++i) columns_[i].give(row, out.columns[i]);
      out.rows = row;
      out.errors.swap(errors_);
      number_ += row;
      return PullResult::rows;
    }
    if (cancelled_.load(std::memory_order_relaxed)) return PullResult::cancelled;
    if (!failure_.ok()) return std::exchange(failure_, Status());
    return PullResult::end;
  }

  Step skip(int64_t rows) override {
    for (int64_t k = 0; k < rows; ++k) {
      Step got = step();
      if (got.error() || got.answer() != PullResult::rows) return got;
      ++number_;
    }
    if (const Status cut = check_size(); !cut.ok()) return cut;
    return PullResult::rows;
  }

 private:
  static int is_cancelled(void* self) {
    return static_cast<Rows*>(self)->cancelled_.load(std::memory_order_relaxed) ? 1 : 0;
  }
  static int wait(void* self, int waits) {
    if (waits >= kMostWaits || is_cancelled(self)) return 0;
    std::this_thread::sleep_for(kWait);
    return 1;
  }

  Status open(int64_t limit) {
    WEIR_TRY(check_local_file(file_));
    // To SQLite "", ":memory:" and what begins with "file:" are no names of files.
    const std::string name = file_.starts_with('/') ? file_ : "./" + file_;
    const int opened =
        sqlite3_open_v2(name.c_str(), &database_, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    if (!database_) throw std::bad_alloc();
    if (opened != SQLITE_OK) return failed();
    // A database may come from anywhere: what it defines must not run what it likes.
    sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, static_cast<int>(std::min<int64_t>(limit, INT_MAX)));
    sqlite3_progress_handler(database_, kStepsBetweenLooks, &is_cancelled, this);
    sqlite3_busy_handler(database_, &wait, this);
    return Status();
  }

  // Keeps writers out until the rows end, and looks at the file as it is then: if it ends within a page,
  // SQLite reads zeros for the rest of it.
  Status lock() {
    if (!execute("pragma cell_size_check = 1; begin; pragma schema_version")) return failed();
    sqlite3_set_authorizer(database_, &authorize, nullptr);
    uint8_t page[2] = {};
    sqlite3_file_control(database_, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&opened_));
    const int64_t size = file_size();
    if (size < 0) return failed();
    if (size == 0) return Status();
    if (opened_->pMethods->xRead(opened_, page, sizeof page, kPageSizeAt) != SQLITE_OK) return failed();
    const int64_t page_bytes = page[0] == 0 && page[1] == 1 ? kLargestPage : page[0] * 256 + page[1];
    if (page_bytes > 0 && size % page_bytes == 0) {
      size_ = size;
      return Status();
    }
    ended_ = true;
    return file_error(
        Code::data_loss,
        expected_found(concat("a database of pages of ", page_bytes, " bytes"),
                       concat(size, " bytes, which end within a page"), "it was cut off; get the file again"),
        file_, size);
  }
  // -1 if it can't be told.
  int64_t file_size() const {
    sqlite3_int64 size = 0;
    const bool told = opened_ && opened_->pMethods->xFileSize(opened_, &size) == SQLITE_OK;
    return told ? static_cast<int64_t>(size) : -1;
  }
  // Until the rows end, no writer makes the file shorter. Of one that was cut off, SQLite reads zeros.
  Status check_size() {
    const int64_t size = statement_ ? file_size() : size_;
    if (size >= size_) return Status();
    ended_ = true;
    return file_error(Code::data_loss,
                      expected_found(concat(size_, " bytes, as when the database was opened"), concat(size),
                                     "restore the file"),
                      file_, size, number_);
  }
  bool execute(const char* statements) {
    return sqlite3_exec(database_, statements, nullptr, nullptr, nullptr) == SQLITE_OK;
  }

  // The last call's error. What is wrong with the whole database has no record. Throws where memory ran out,
  // like the code around SQLite, so that the cursor loses one row and no more.
  Status failed() {
    const int code = sqlite3_extended_errcode(database_);
    if ((code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM) throw std::bad_alloc();
    ended_ = true;
    const Mistake mistake{concat("SQLite: ", sqlite3_errmsg(database_)), advice_for(code)};
    const int64_t record = statement_ ? number_ : -1;
    return may_pass(code) ? read_error(code_of(code), mistake, file_, -1, record)
                          : file_error(code_of(code), mistake, file_, -1, record);
  }
  Status mistaken(const Mistake& mistake) {
    ended_ = true;
    return file_error(Code::invalid_argument, mistake, file_);
  }

  Status find_columns(const std::vector<SqliteRows::Column>& columns) {
    for (size_t i = 0; i < columns.size(); ++i) {
      Gathered column;
      column.dtype = columns[i].dtype;
      column.source = static_cast<int>(i);
      if (const std::string& name = columns[i].name; !name.empty()) {
        const auto count = static_cast<int>(columns.size());
        for (column.source = 0; column.source < count && name_of(column.source) != name;) ++column.source;
        if (column.source == count)
          return mistaken(
              expected_found(concat("a query with a column ", quote(name), ", as the spec has"), "none"));
      }
      columns_.push_back(std::move(column));
    }
    return Status();
  }
  std::string_view name_of(int column) const {
    const char* name = sqlite3_column_name(statement_, column);
    return name ? name : "";
  }

  Step step() {
    if (ended_) return PullResult::end;
    const int got = sqlite3_step(statement_);
    if (got == SQLITE_ROW) return PullResult::rows;
    ended_ = true;
    if (const Status cut = check_size(); !cut.ok()) return cut;
    if (got == SQLITE_DONE) {
      // An iterator may be kept long after its end.
      sqlite3_finalize(std::exchange(statement_, nullptr));
      execute("commit");
      return PullResult::end;
    }
    if (cancelled_.load(std::memory_order_relaxed)) return PullResult::cancelled;
    return failed();
  }

  // Takes the values of the current row; returns their bytes.
  int64_t gather(int row) {
    int64_t bytes = 0;
    for (Gathered& column : columns_) {
      const int type = sqlite3_column_type(statement_, column.source);
      if (type == SQLITE_NULL) {
        column.push_zero();
      } else if (column.dtype == DType::string) {
        bytes += gather_string(column, type);
      } else if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
        gather_number(column, type, row);
      } else {
        refuse(row, column, type == SQLITE_TEXT ? "text" : "a blob");
      }
      bytes += static_cast<int64_t>(dtype_size(column.dtype));
    }
    return bytes;
  }

  int64_t gather_string(Gathered& column, int type) {
    // Numbers become text, as SQLite prints them.
    const void* data = type == SQLITE_BLOB ? sqlite3_column_blob(statement_, column.source)
                                           : sqlite3_column_text(statement_, column.source);
    const int size = data ? sqlite3_column_bytes(statement_, column.source) : 0;
    if (size > 0) column.bytes.append(static_cast<const char*>(data), static_cast<size_t>(size));
    column.ends.push_back(column.bytes.size());
    return size;
  }

  // A number, as SQLite prints it.
  std::string printed(const Gathered& column) {
    const unsigned char* const text = sqlite3_column_text(statement_, column.source);
    return text ? reinterpret_cast<const char*>(text) : "a number";
  }

  void gather_number(Gathered& column, int type, int row) {
    const bool whole = type == SQLITE_INTEGER;
    const int64_t integer = whole ? sqlite3_column_int64(statement_, column.source) : 0;
    const double real = whole ? 0 : sqlite3_column_double(statement_, column.source);
    if (column.dtype == DType::boolean) return column.push(whole ? integer != 0 : real != 0);
    const double value = whole ? static_cast<double>(integer) : real;
    if (column.dtype == DType::float64) return column.push(value);
    if (column.dtype == DType::float32) {
      const float single = static_cast<float>(value);
      if (std::isinf(single) && !std::isinf(value)) return refuse(row, column, printed(column));
      return column.push(single);
    }
    if (!whole || !push_integer(column, integer)) refuse(row, column, printed(column));
  }

  // False if the dtype does not hold it.
  static bool push_integer(Gathered& column, int64_t value) {
    switch (column.dtype) {
      case DType::int8:
        return push_as<int8_t>(column, value);
      case DType::int16:
        return push_as<int16_t>(column, value);
      case DType::int32:
        return push_as<int32_t>(column, value);
      case DType::int64:
        return push_as<int64_t>(column, value);
      case DType::uint8:
        return push_as<uint8_t>(column, value);
      case DType::uint16:
        return push_as<uint16_t>(column, value);
      case DType::uint32:
        return push_as<uint32_t>(column, value);
      default:
        return push_as<uint64_t>(column, value);
    }
  }
  template <class T>
  static bool push_as(Gathered& column, int64_t value) {
    if (!std::in_range<T>(value)) return false;
    column.push(static_cast<T>(value));
    return true;
  }

  void refuse(int row, Gathered& column, const std::string& found) {
    column.push_zero();
    const std::string_view name = name_of(column.source);
    const Status status =
        file_error(Code::invalid_argument,
                   expected_found(concat(dtype_name(column.dtype), " in column ", quote(name)), found,
                                  concat("give the column a dtype that holds it, or cast it in the query")),
                   file_, -1, number_ + row);
    if (errors_.empty() || errors_.back().row != row) errors_.push_back({row, status.pointer()});
  }

  const std::string file_;
  const std::atomic<bool>& cancelled_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  // The database's file, which is the connection's, and its size when it was locked.
  sqlite3_file* opened_ = nullptr;
  int64_t size_ = 0;
  std::vector<Gathered> columns_;
  RowErrors errors_;
  // How many rows were given or skipped.
  int64_t number_ = 0;
  bool ended_ = false;
  // To be given after the rows before it.
  Status failure_;
};

}  // namespace

Status check_sqlite() { return Status(); }

Result<std::unique_ptr<SqliteRows>> SqliteRows::open(const std::string& file, const std::string& query,
                                                     std::vector<Column> columns, int64_t limit,
                                                     const std::atomic<bool>& cancelled) {
  auto rows = std::make_unique<Rows>(file, cancelled);
  WEIR_TRY(rows->begin(query, columns, limit));
  return std::unique_ptr<SqliteRows>(std::move(rows));
}

}  // namespace weir
