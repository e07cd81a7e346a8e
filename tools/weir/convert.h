// weir convert.
#pragma once

#include "arguments.h"

namespace weir::command {

// Throws an Error of either file.
void convert_file(const Arguments& arguments);

}  // namespace weir::command
