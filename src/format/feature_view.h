// Finds the values of a serialized Feature, and decodes them later.
#pragma once

#include "format/feature.h"
#include "format/wire.h"

namespace weir {

// Counts the values and notes where they lie. Returns ok, absent, wrong_kind or malformed, and the kind that
// was found; `values` stays as it is unless the outcome is ok.
FeatureOutcome locate_values(WireCursor feature, FeatureType type, FeatureView& values,
                             FeatureType& found_type);

// Decodes all of them to `out`, which has room for values.count entries of the type that they were counted
// for.
void decode_values(const FeatureView& values, FeatureType type, void* out);

}  // namespace weir
