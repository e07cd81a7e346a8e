// FusedMaps: one cursor in place of adjacent maps, which calls the composed function.
//
// From outside it looks like the maps as written: errors and counters have their paths, and its position is
// theirs (Port::state_through). A position that it cannot load, such as one after a parallel map, is resumed
// by the maps themselves.
#pragma once

#include <vector>

#include "dataset/operator.h"
#include "expr/types/function.h"

namespace weir {

// `maps`: from the last one to the first that a row comes to. `f`: what they do together.
// REQUIRES: each is the only input of the one above it, and all but the first of the list cannot fail
Result<DatasetRef> fused_maps(std::vector<DatasetRef> maps, FunctionRef f, DatasetRef input);

// The maps that the node stands for, as fused_maps() takes them. Null for any other node.
const std::vector<DatasetRef>* maps_of(const Dataset& node);

// The function that a node applies to each element on the thread that asks for it; null for any other node.
const Function* applied_function(const Dataset& node);

}  // namespace weir
