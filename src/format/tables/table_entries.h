// table_entries: entries of a column as those of a field.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>

#include "core/dtype.h"
#include "format/tables/table_types.h"

namespace weir {

inline bool is_aligned(const void* data, size_t size) {
  return reinterpret_cast<uintptr_t>(data) % size == 0;
}

inline bool table_entry_is_null(const ArrowArray& array, int64_t at) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
  const int64_t bit = array.offset + at;
  return (static_cast<const uint8_t*>(array.buffers[0])[bit >> 3] >> (bit & 7) & 1) == 0;
}

// Where the entries of a list lie.
inline std::pair<int64_t, int64_t> list_range(const TableType& type, const ArrowArray& array, int64_t at) {
  const int64_t i = array.offset + at;
  if (type.kind == TableType::Kind::fixed_list) return {i * type.size, type.size};
  if (type.kind == TableType::Kind::list) {
    const auto* const ends = static_cast<const int32_t*>(array.buffers[1]) + i;
    return {ends[0], ends[1] - ends[0]};
  }
  const auto* const ends = static_cast<const int64_t*>(array.buffers[1]) + i;
  return {ends[0], ends[1] - ends[0]};
}

// An entry of Kind::viewed_text: the bytes are in one of the buffers after the views, or, if they are few, in
// the last 12 bytes of the view.
struct TextView {
  int32_t size;
  char prefix[4];
  int32_t buffer;
  int32_t offset;

  bool is_inline() const { return size <= 12; }
};
inline TextView text_view(const ArrowArray& array, int64_t at) {
  TextView out;
  std::memcpy(&out, static_cast<const TextView*>(array.buffers[1]) + array.offset + at, sizeof out);
  return out;
}

// Memory for the bytes of texts that are made.
using TextMemory = std::function<char*(size_t size)>;

// Writes entries [begin, begin + count) of a column, those without a value as something, to `out`. Returns
// how many could be before one that does not fit the dtype.
// REQUIRES: check_fields_of() is ok for a field of this dtype
int64_t table_entries(const TableType& type, const ArrowArray& array, int64_t begin, int64_t count,
                      DType dtype, const TextMemory& memory, uint8_t* out);

}  // namespace weir
