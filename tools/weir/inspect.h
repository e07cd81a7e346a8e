// `weir head`, `weir info` and `weir validate`: what is in files.
#pragma once

#include "arguments.h"

namespace weir::command {

int head(const Arguments& arguments);
int info(const Arguments& arguments);
int validate(const Arguments& arguments);

}  // namespace weir::command
