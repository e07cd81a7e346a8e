// The rows of an input that lie in the open bins of a pack, as a position has them: two bytes for most
// sequences.
#pragma once

#include <cstdint>
#include <vector>

#include "core/archive.h"
#include "ops/batching/pack_bin.h"

namespace weir {

// Saves and loads the rows of each bin, in the order of the bins' opening, which is also that of their first
// rows. All are from `begin` up to `end`, and none is in two bins; loading checks that.
void packed_rows_state(Archive& archive, std::vector<std::vector<PackedRows>>& bins, int64_t begin,
                       int64_t end);

struct WantedRows {
  PackedRows rows;
  size_t bin = 0;
};
// The same rows in their own order.
std::vector<WantedRows> by_row(const std::vector<std::vector<PackedRows>>& bins);

}  // namespace weir
