// `weir index`, `weir shard` and `weir convert`: files made of files.
#pragma once

#include "arguments.h"

namespace weir::command {

int make_indices(const Arguments& arguments);
int shard(const Arguments& arguments);
int convert(const Arguments& arguments);

}  // namespace weir::command
