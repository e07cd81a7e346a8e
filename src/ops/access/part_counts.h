// How many elements the pipeline of a part has, as far as the graph tells.
#pragma once

#include <cstdint>

#include "dataset/dataset.h"
#include "expr/types/function.h"

namespace weir {

// Those of `node`, the pipeline of a part of whose input there are `count`; kUnknown if that depends on more.
int64_t count_of_part(const Dataset& node, int64_t count);
// Those after `f`, which makes the pipeline.
int64_t count_after(const Function& f, int64_t count);

}  // namespace weir
