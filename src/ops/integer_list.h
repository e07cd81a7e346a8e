// integer_list: the value of a parameter that is a list of integers.
#pragma once

#include <cstdint>
#include <vector>

#include "dataset/params.h"

namespace weir {

// invalid_argument, with the parameter, if it is something else. Gives none while an expression is not
// evaluated.
Status integer_list(const ValueParam& param, const char* name, std::vector<int64_t>& out);

}  // namespace weir
