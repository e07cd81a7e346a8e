// table_entries: entries of a column as those of a field.
#pragma once

#include <cstdint>
#include <functional>

#include "core/dtype.h"
#include "format/tables/table_types.h"

namespace weir {

inline bool table_entry_is_null(const ArrowArray& array, int64_t at) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
  const int64_t bit = array.offset + at;
  return (static_cast<const uint8_t*>(array.buffers[0])[bit >> 3] >> (bit & 7) & 1) == 0;
}

// Memory for the bytes of texts that are made.
using TextMemory = std::function<char*(size_t size)>;

// Writes entries [begin, begin + count) of a column, those without a value as something, to `out`. Returns
// how many could be before one that does not fit the dtype.
// REQUIRES: check_fields_of() is ok for a field of this dtype
int64_t table_entries(const TableType& type, const ArrowArray& array, int64_t begin, int64_t count,
                      DType dtype, const TextMemory& memory, uint8_t* out);

}  // namespace weir
