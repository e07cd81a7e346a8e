// Rank positions: the checkpoints of several ranks of a run, from which a rank of another run goes on.
#pragma once

#include <span>
#include <string_view>

#include "core/status.h"
#include "core/world.h"
#include "iterator/checkpoint.h"

namespace weir {

// Where rank `world` goes on; `saved` has what Iterator::save() gave in ranks of one run, in any order. What
// this rank of as many ranks saved is taken as it is. failed_precondition if it isn't there, or if they do
// not go together; data_loss if one is damaged.
Result<Checkpoint> position_of_rank(std::span<const std::string_view> saved, const World& world);

}  // namespace weir
