// counted_rows: how many elements a block's rows count as: the rows with a value, and those that failed
// because memory ran out.
#pragma once

#include <algorithm>

#include "core/block.h"
#include "core/exception.h"

namespace weir {

inline int counted_rows(const Block& block) {
  if (block.errors.empty()) [[likely]]
    return block.rows;
  const auto without_memory =
      std::count_if(block.errors.begin(), block.errors.end(),
                    [](const RowError& error) { return ran_out_of_memory(*error.error); });
  return block.value_rows() + static_cast<int>(without_memory);
}

}  // namespace weir
