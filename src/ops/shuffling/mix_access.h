// Reading the elements of a mixture by their positions (ops/shuffling/mix_places.h). Failed elements count,
// since nothing is known of them beforehand.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dataset/access.h"
#include "ops/shuffling/mix_turns.h"

namespace weir {

// `inputs` are numbers of the operator's inputs.
// REQUIRES: those with a weight can be read by positions
Result<std::unique_ptr<Access>> open_mix_access(Opening& opening, std::span<const int> inputs, MixTurns turns,
                                                bool stop_on_empty);

}  // namespace weir
