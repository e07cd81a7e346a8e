// Whether a pipeline runs ahead as when a position of it was saved. Where it does not, anchors list openings
// in another form, and a replay of those that are counted while elements are read would miss them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataset/dataset.h"

namespace weir {

// What a checkpoint says of the operators that run ahead.
std::vector<uint64_t> windows_of(const Dataset& root);

// `saved`: the windows_of() of the dataset that the position was saved with; `made_alike`: all that may
// differ is as it was.
Status check_runs_ahead(const Dataset& root, std::span<const uint64_t> saved, bool made_alike);

}  // namespace weir
