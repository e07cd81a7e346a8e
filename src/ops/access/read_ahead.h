// How far sources that wait for files run ahead of their consumers.
#pragma once

#include "core/block.h"
#include "exec/window.h"

namespace weir {

// Begins with 8,192 rows, and grows where the consumer has to wait: small elements are read faster than
// threads can take turns. A consumer that is faster alone reads by itself.
inline WindowOptions read_ahead(Lane lane, int block_rows = kMaxBlockRows) {
  WindowOptions options;
  options.max_rows = 262144;
  options.first_rows = 8192;
  options.max_bytes = int64_t{2} << 20;
  options.block_rows = block_rows;
  options.lane = lane;
  return options;
}

}  // namespace weir
