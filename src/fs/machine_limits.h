// What the control groups of this process allow: how many processors, and how much memory. Version 1 and 2 of
// them.
//
// Reads a few small files; whatever can't be read limits nothing.
#pragma once

#include <cstdint>

#include "fs/file_system.h"

namespace weir {

struct MachineLimits {
  // The quota in whole processors, rounded up; 0: none.
  int processors = 0;
  // 0: none.
  int64_t memory_bytes = 0;
};

MachineLimits machine_limits(FileSystem& files);

}  // namespace weir
