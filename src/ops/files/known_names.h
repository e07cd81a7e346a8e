// What sources need that read files when a dataset is built. known_names: the names in a dataset of file
// names.
#pragma once

#include <string>
#include <vector>

#include "dataset/operator.h"

namespace weir {

// invalid_argument if they depend on a variable, are none at all, or are more than a million; else the error
// of the name that fails. Blocks where finding them does.
Result<std::vector<std::string>> known_names(Runtime& runtime, const DatasetRef& names);

// An error of a file as one of the text that names it: its sentence has the file's name, unless it says that
// the file cannot be read, when it has it anyway.
Status naming_file(const Status& status);

}  // namespace weir
