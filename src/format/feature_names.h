// The names of the features in a serialized tf.Example, for the message that one is missing.
// Ownership: yields values. Threads: pure function. Errors: what cannot be read is left out. Cost: a pass over the
// record.
#pragma once

#include <string>
#include <vector>

#include "core/str.h"

namespace weir {

// Each name once, in the order of the record.
std::vector<std::string> feature_names(Str record);

}  // namespace weir
