// The cardinality of an operator that ends only where its input does, and gives an unknown number of elements
// until then.
#pragma once

#include "dataset/dataset.h"

namespace weir {

inline int64_t infinite_or_unknown(const ParamsBase&, std::span<const DatasetRef> inputs) {
  return inputs[0]->cardinality() == kInfinite ? kInfinite : kUnknown;
}

}  // namespace weir
