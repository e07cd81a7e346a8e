// known_names: the names in a dataset of file names, read when a dataset over them is built.
#pragma once

#include <string>
#include <vector>

#include "dataset/operator.h"

namespace weir {

// invalid_argument if they depend on a variable, are none at all, or are more than a million; else the error
// of the name that fails. Blocks where finding them does.
Result<std::vector<std::string>> known_names(Runtime& runtime, const DatasetRef& names);

}  // namespace weir
