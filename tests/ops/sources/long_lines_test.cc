// What the longest line and row that the runtime reads take.
#include <fstream>

#include "format/deflated.h"
#include "ops/pipelines.h"
#include "support/failing_new.h"
#include "support/temporary_folder.h"

namespace weir::test {
namespace {

constexpr int64_t kRecordBytes = int64_t{64} << 20;

// The most memory at once, as a multiple of record_bytes.
double taken(const std::string& text) {
  ThreadsRuntime runtime(1);
  (*runtime).limits.record_bytes = kRecordBytes;
  auto iterator = open_text(*runtime, text);
  MemoryUse use;
  {
    const Metered metered(use);
    Block block;
    int64_t rows = 0;
    while (require_value(iterator->next(1, block)) == PullResult::rows) {
      CHECK(block.errors.empty());
      rows += block.rows;
    }
    CHECK(rows == 2);
  }
  return static_cast<double>(use.most_bytes) / static_cast<double>(kRecordBytes);
}

TEST_CASE("a line of record_bytes takes little more memory than it has bytes") {
  const TemporaryFolder folder;
  const std::string line(static_cast<size_t>(kRecordBytes), 'a');
  const std::string lines = line + "\nb\n";
  std::ofstream(folder.at("plain"), std::ios::binary) << lines;
  std::ofstream(folder.at("packed"), std::ios::binary) << deflated(lines, Compression::gzip, 1);
  const std::string plain = '"' + folder.at("plain") + '"';
  const std::string packed = '"' + folder.at("packed") + '"';
  CHECK(taken("text_line(" + plain + ") | map(s -> string_length(s))") <= 1.2);
  CHECK(taken("text_line(" + packed + ", compression: \"gzip\") | map(s -> string_length(s))") <= 1.2);
  CHECK(taken("csv(" + plain + ", [string]) | map((s,) -> string_length(s))") <= 1.2);
  CHECK(taken("csv(" + packed + ", [string], compression: \"gzip\") | map((s,) -> string_length(s))") <= 1.2);
}

}  // namespace
}  // namespace weir::test
