// A dataset that an element holds, as a document, so that it is opened like any other.
#pragma once

#include "core/runtime.h"
#include "graph/document.h"

namespace weir {

// The dataset of `value`, a scalar tensor of DType::dataset of structure `spec`, whose variables the document
// shares. It reads `from_tensors(@1) | flat_map(d -> d)`, but knows the cardinality. It cannot be serialized.
// `owner` keeps `runtime` alive. Costs the binding of that text.
Result<DocumentRef> element_dataset(Runtime& runtime, RefPtr<RefCounted> owner, const Spec& spec,
                                    const Tensor& value);

}  // namespace weir
