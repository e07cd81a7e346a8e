// The names that a record has, for the error that says which is missing.
#pragma once

#include <string>
#include <vector>

#include "core/status.h"
#include "core/str.h"
#include "format/wire.h"

namespace weir {

// The names of the features in a serialized tf.Example, or of the lists in the field `outer` of a
// tf.SequenceExample: each once, in the order of the record, up to what it can't read.
std::vector<std::string> feature_names(Str record, uint32_t outer = kFirstField);

// "WHAT a, b; did you mean b?" with the names that are there, where `name` is not; or the hint in its place.
// The names in `wanted` are asked for elsewhere, so none of them is suggested.
Mistake not_among(std::string_view what, std::string_view name, const std::vector<std::string>& present,
                  const std::vector<std::string>& wanted, std::string_view hint);

}  // namespace weir
