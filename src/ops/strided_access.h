// strided_access: the elements of a dataset from one position on, at a fixed distance: what take, skip and shard leave of it.
#pragma once

#include <optional>

#include "dataset/access.h"

namespace weir {

// Element i is element first + i * step of `input`; at most `limit` of them if there is a limit.
// REQUIRES: first >= 0, step >= 1, limit >= 0
std::unique_ptr<Access> strided_access(std::unique_ptr<Access> input, int64_t first, int64_t step,
                                       std::optional<int64_t> limit = std::nullopt);

}  // namespace weir
