// Fuzzes databases of LMDB: reading rows by their numbers gives what reading all of them in order does,
// wherever both give something.
#include "format/tables/lmdb.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "support/simulated_files.h"
#include "support/table_text.h"

namespace weir {

namespace {

constexpr int64_t kMostRows = 200;

// The keys and values of these rows, up to an error.
std::vector<std::string> read(TableFile& file, TableRange rows) {
  std::vector<std::string> out;
  const std::vector<std::string> columns = {"key", "value"};
  auto stream = file.read(columns, std::span(&rows, 1));
  while (stream.ok() && static_cast<int64_t>(out.size()) < kMostRows) {
    auto batch = (*stream)->next();
    if (!batch.ok() || !batch->there()) break;
    for (int64_t row = 0; row < (*batch)->length; ++row) {
      std::string& text = out.emplace_back();
      for (int64_t column = 0; column < (*batch)->n_children; ++column) {
        const std::string_view entry = test::text_entry(*(*batch)->children[column], row);
        text += std::to_string(entry.size()) + ":";
        text += entry;
      }
    }
  }
  return out;
}

}  // namespace

}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir;
  SimulatedFileSystem files;
  files.put("f", std::string_view(reinterpret_cast<const char*>(data), size));
  auto file = files.open("f");
  if (!file.ok()) std::abort();
  const auto table = lmdb_format()->open(*std::move(file));
  if (!table.ok()) return 0;
  const int64_t rows = (*table)->rows();
  const std::vector<std::string> all = read(**table, {0, rows});
  if (static_cast<int64_t>(all.size()) > std::max(rows, kMostRows)) std::abort();
  for (int64_t row = 0; row < std::min<int64_t>(rows, 12); ++row) {
    const std::vector<std::string> one = read(**table, {row, 1});
    if (one.size() > 1) std::abort();
    if (!one.empty() && static_cast<size_t>(row) < all.size() && one[0] != all[static_cast<size_t>(row)])
      std::abort();
  }
  return 0;
}
