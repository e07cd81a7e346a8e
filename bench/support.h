// What the benchmarks of the inside share: a runtime, drained pipelines, and the machine's own limits
// measured in the same run.
#pragma once

#include <memory>
#include <string>

#include "dataset/stage.h"
#include "graph/document.h"
#include "iterator/iterator.h"
#include "report.h"
#include "weir/weir.h"

namespace weir::bench {

Runtime& runtime();

DocumentRef parse(const std::string& text, const Handed& handed = {});

// A root Stage driven directly, for what must be consumed inside the library.
class Drain {
 public:
  explicit Drain(DocumentRef document);
  // Returns the number of rows of the next block of at most `rows`; 0 at the end.
  int next(int rows);
  // Runs to the end or for at least `limit` rows; returns how many.
  int64_t run(int rows, int64_t limit = INT64_MAX);
  const Block& block() const { return block_; }
  // For parts of a pipeline that are driven by hand.
  Context context() { return Context{*session_, session_->scheduler, &epochs_}; }

 private:
  DocumentRef document_;
  RefPtr<Session> session_;
  EpochScope epochs_;
  std::unique_ptr<Stage> stage_;
  Block block_;
  PullResult got_ = PullResult::rows;
  int rows_ = 1;
};

// Bytes per second that memcpy moves into reused buffers, in rows of that size.
double memcpy_rate(size_t row_bytes);

// A folder for files that benchmarks read; removed at exit.
const std::string& folder();
// A file there with records of one size, 192 MiB in all, written once per run.
std::string record_file(size_t record_bytes);
// A table there with five columns of integers and five of fractions, 64 MiB, written once per run.
std::string table_file();
// An .npy file there with rows of 1,024 float32, 1 GiB, written once per run; and an archive of 1,000 rows of
// 512 bytes and of one number, deflated.
std::string array_file();
std::string archive_file();
// A file there of JSON lines with 12 fields, and an archive of members of 1,000 bytes, 64 MiB each, written
// once per run.
std::string object_file();
std::string tar_file();

}  // namespace weir::bench
