// `weir checkpoint`: describes saved positions.
#pragma once

#include "arguments.h"

namespace weir::command {

// Prints what the file holds, and whether it fits a document if one is given. Returns the exit status.
int show_checkpoint(const Arguments& arguments);

// Prints the generations in a folder.
int list_checkpoints(const Arguments& arguments);

}  // namespace weir::command
