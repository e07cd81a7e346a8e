// How far sources that wait for files run ahead of their consumers.
#pragma once

#include <algorithm>

#include "core/block.h"
#include "core/runtime.h"
#include "exec/window.h"

namespace weir {

// Of however many sources that are open at once: one read of a disk.
inline constexpr int64_t kLeastAheadBytes = 65536;

// Begins with 8,192 rows, and grows where the consumer has to wait: small elements are read faster than
// threads can take turns. A consumer that is faster alone reads by itself.
inline WindowOptions most_read_ahead(Lane lane, int block_rows = kMaxBlockRows) {
  WindowOptions options;
  options.max_rows = 262144;
  options.first_rows = 8192;
  options.max_bytes = int64_t{2} << 20;
  options.block_rows = block_rows;
  options.lane = lane;
  return options;
}

// Less where many sources are open at once.
inline WindowOptions read_ahead(const Context& ctx, Lane lane, int block_rows = kMaxBlockRows) {
  WindowOptions options = most_read_ahead(lane, block_rows);
  options.max_bytes = std::clamp(ctx.ahead_bytes, kLeastAheadBytes, options.max_bytes);
  return options;
}

}  // namespace weir
