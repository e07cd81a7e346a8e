// Texts in the batches of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/tables/arrow_abi.h"

namespace weir::test {

// An entry of a column of texts with offsets of 8 bytes.
inline std::string_view text_entry(const ArrowArray& column, int64_t row) {
  const auto* const ends = static_cast<const int64_t*>(column.buffers[1]);
  const auto size = static_cast<size_t>(ends[row + 1] - ends[row]);
  return size == 0 ? std::string_view()
                   : std::string_view(static_cast<const char*>(column.buffers[2]) + ends[row], size);
}

}  // namespace weir::test
