// The operators: every source, transformation and terminal that documents can name.
// Ownership: static. Threads: immutable. Cost: find_operator is a binary search.
#pragma once

#include <span>
#include <string_view>

#include "dataset/operator.h"

namespace weir {

// In the order of their names.
std::span<const OperatorDef* const> operators();
// Null if there is none of that name.
const OperatorDef* find_operator(std::string_view name);

}  // namespace weir
