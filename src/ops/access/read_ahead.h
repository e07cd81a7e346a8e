// How far sources that wait for files run ahead of their consumers.
#pragma once

#include "core/block.h"
#include "exec/window.h"

namespace weir {

inline WindowOptions read_ahead(Lane lane) {
  WindowOptions options;
  options.max_rows = 8192;
  options.max_bytes = int64_t{4} << 20;
  options.block_rows = kMaxBlockRows;
  options.lane = lane;
  return options;
}

}  // namespace weir
