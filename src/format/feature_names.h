// The names of the features in a serialized tf.Example, for the error that says which is missing.
#pragma once

#include <string>
#include <vector>

#include "core/str.h"

namespace weir {

// Each name once, in the order of the record. Skips what it can't read.
std::vector<std::string> feature_names(Str record);

}  // namespace weir
