// `weir digest`: one hash of all elements of a document.
#pragma once

#include "arguments.h"
#include "common.h"

namespace weir::command {

// Prints the hash of the elements of handles.dataset; docs/digest.md says of what bytes.
int digest(const Arguments& arguments, Handles& handles);

}  // namespace weir::command
