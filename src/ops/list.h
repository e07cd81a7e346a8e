// The operators: every source, transformation and terminal that documents can name.
// Ownership: static. Threads: immutable. Cost: find_operator is a binary search.
#pragma once

#include <span>
#include <string_view>

#include "dataset/operator.h"

namespace weir {

// In the order of their names.
std::span<const OperatorDef* const> operators();
// Adds one that is not in list.inc: how tests bring operators that misbehave on purpose.
// REQUIRES: before any document is parsed; the definition lives for ever; no other has its name.
void add_operator(const OperatorDef& def);
// Null if there is none of that name.
const OperatorDef* find_operator(std::string_view name);

}  // namespace weir
