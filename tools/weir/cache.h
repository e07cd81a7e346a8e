// `weir cache show` and `weir cache clear`.
#pragma once

#include "arguments.h"

namespace weir::command {

int show_cache(const Arguments& arguments);
int clear_cache(const Arguments& arguments);

}  // namespace weir::command
