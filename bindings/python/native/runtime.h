// A runtime: threads, memory, limits.
#pragma once

#include "common.h"

namespace weirpy {

struct Runtime {
  OwnedRuntime handle;
};

}  // namespace weirpy
