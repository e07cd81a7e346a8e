// The key of a document's root, from which the random draws of all cursors below derive theirs.
#pragma once

#include <cstdint>

#include "dataset/instance.h"

namespace weir {

// Of its opening number `opening`, counted from 0.
inline uint64_t root_key(uint64_t opening) { return derive_key(0x77656972, opening); }

}  // namespace weir
