#include "ops/files/blocking_lane.h"

#include "dataset/ahead_cursor.h"
#include "ops/access/read_ahead.h"

namespace weir {

std::optional<RunsAhead> ahead_on_blocking_lane(const ParamsBase&, std::span<const DatasetRef>) {
  const WindowOptions window = most_read_ahead(Lane::blocking);
  return RunsAhead{.rows = window.max_rows, .bytes = window.max_bytes, .lane = window.lane};
}

std::unique_ptr<Cursor> open_on_blocking_lane(Opening& opening, DatasetRef dataset, int block_rows) {
  MakeWindow window{read_ahead(opening.ctx, dataset->lane(), block_rows)};
  return std::make_unique<WindowCursor>(opening, std::move(dataset), std::move(window));
}

}  // namespace weir
