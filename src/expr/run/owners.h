// What keeps the values of a register alive.
#pragma once

#include <vector>

#include "expr/run/frame.h"

namespace weir {

// Everything that strings or datasets of a register may point into, once each.
void collect_owners(const Program& program, Frame& frame, int reg, std::vector<RefPtr<RefCounted>>& out);

}  // namespace weir
