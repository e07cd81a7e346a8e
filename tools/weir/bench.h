// `weir bench`: measures the throughput of a document.
#pragma once

#include "arguments.h"
#include "common.h"

namespace weir::command {

// REQUIRES: the handles have a runtime and a dataset
int bench(const Arguments& arguments, Handles& handles);

}  // namespace weir::command
