// One element of a document by its position, without an iterator (dataset/access.h).
#pragma once

#include "core/block.h"
#include "core/runtime.h"
#include "graph/document.h"

namespace weir {

// Puts the element into `out`, an error as a failed row. failed_precondition, with the operator's name, if it cannot be read
// so; out_of_range beyond the last one. `owner` keeps `runtime` alive. Works on the calling thread; may throw. What the
// first call opens, with its files, stays open and is used by the next ones as long as the document lives, unless an element
// failed: a file that changes meanwhile is not noticed. A call beside another opens for itself.
Status element_at(Runtime& runtime, RefPtr<RefCounted> owner, const Document& document, int64_t position,
                  Block& out);

}  // namespace weir
