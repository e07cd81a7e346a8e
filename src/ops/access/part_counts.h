// How many elements the pipeline of a part has, as far as the graph tells.
#pragma once

#include <cstdint>

#include "expr/types/function.h"

namespace weir {

// Those of the pipeline that `f` makes of a part with `count` elements; kUnknown if that depends on more.
int64_t count_after(const Function& f, int64_t count);

}  // namespace weir
