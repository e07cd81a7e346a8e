// Fuzzes databases of SQLite: any file gives rows, or an error that names it. Inputs are databases.
#include "format/sqlite.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace weir {

namespace {

constexpr int kMostRows = 1000;

void query(const std::string& file, const std::string& text, std::vector<SqliteRows::Column> columns) {
  static const std::atomic<bool> cancelled{false};
  auto rows = SqliteRows::open(file, text, std::move(columns), 1 << 20, cancelled);
  if (!rows.ok()) {
    if (rows.status().error().file != file) std::abort();
    return;
  }
  Block block;
  for (int row = 0; row < kMostRows; row += block.rows) {
    const Step got = (*rows)->next(64, 1 << 16, block);
    if (got.error() && (*got.error()).file != file) std::abort();
    if (got.error() || got.answer() != PullResult::rows) break;
  }
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string file =
      std::filesystem::temp_directory_path() / ("fuzz_sqlite." + std::to_string(::getpid()));
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  using weir::DType;
  weir::query(file, "select name, sql from sqlite_schema", {{DType::string, ""}, {DType::string, ""}});
  weir::query(file, "select k, v from t order by v", {{DType::int64, ""}, {DType::string, ""}});
  weir::query(file, "select count(*) from t where v like '%1%'", {{DType::int8, ""}});
  weir::query(file, "select count(*) from f where f match 'one'", {{DType::int8, ""}});
  std::filesystem::remove(file);
  return 0;
}
