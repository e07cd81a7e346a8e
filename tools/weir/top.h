// `weir top`: what the pipelines of another process do.
#pragma once

#include "arguments.h"

namespace weir::command {

int top(const Arguments& arguments);

}  // namespace weir::command
