// Positions of all ranks of a run, from which a rank of a run with another number of ranks continues.
//
// Each part of a partition is taken from the rank that had it: what that rank had written of the part, and
// how many of its elements it had delivered, which the turn after its last row tells (core/origins.h).
// Operators behind the partition start over, so none of them may count the elements of its rank.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/runtime.h"
#include "core/world.h"
#include "graph/document.h"
#include "iterator/checkpoint.h"

namespace weir {

// The position from which rank `world` continues; `saved` has what Iterator::save() gave in ranks of one run,
// in any order. What this rank of as many ranks saved is taken as it is. failed_precondition, with what to
// do, if they do not go together, or the document's positions are those of a rank only; data_loss if one is
// damaged. Runs nothing.
Result<Checkpoint> position_of_rank(const Document& document, std::span<const std::string_view> saved,
                                    const World& world);

// Lets a session begin where the checkpoint says that the parts were, for operators that have not moved
// since.
void begin_parts(const Checkpoint& checkpoint, Session& session);

}  // namespace weir
