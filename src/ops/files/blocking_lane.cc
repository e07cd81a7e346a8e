#include "ops/files/blocking_lane.h"

#include "dataset/ahead_cursor.h"

namespace weir {

namespace {

// The most that is read ahead. Begins with 8,192 rows, and grows where the consumer has to wait: small
// elements are read faster than threads can take turns.
constexpr int64_t kAheadBytes = int64_t{4} << 20;
constexpr int64_t kAheadRows = 262144;
constexpr int64_t kAheadFirstRows = 8192;

}  // namespace

std::optional<RunsAhead> ahead_on_blocking_lane(const ParamsBase&, std::span<const DatasetRef>) {
  return RunsAhead{.rows = kAheadRows, .bytes = kAheadBytes, .lane = Lane::blocking};
}

std::unique_ptr<Cursor> open_on_blocking_lane(Opening& opening, DatasetRef dataset, int block_rows) {
  WindowOptions options;
  options.max_rows = kAheadRows;
  options.first_rows = kAheadFirstRows;
  options.max_bytes = kAheadBytes;
  options.block_rows = block_rows;
  options.lane = dataset->lane();
  return std::make_unique<WindowCursor>(opening, std::move(dataset), MakeWindow{options});
}

}  // namespace weir
