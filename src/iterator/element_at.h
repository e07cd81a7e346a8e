// One element of a document by its position, without an iterator (dataset/access.h).
#pragma once

#include "core/block.h"
#include "core/pull.h"
#include "core/runtime.h"
#include "graph/document.h"

namespace weir {

// About how long element_at() waits if it is not to wait for all that an element needs.
inline constexpr int64_t kReadSliceNs = 50'000'000;

// Puts the element into `out`, an error as a failed row. failed_precondition, with the operator's name, if it
// cannot be read so; out_of_range beyond the last one. `owner` keeps `runtime` alive. Works on the calling
// thread; may throw. What the first call opens, with its files, stays open and is used by the next ones as
// long as the document lives, unless an element failed: a file that changes meanwhile is not noticed. A call
// beside another opens for itself.
//
// With `reading`, answers pending where the element takes longer: a fetcher makes it, as for
// Iterator::next_within().
// `*reading` then holds what the next call with the same arguments continues; dropping it ends the work.
Result<PullResult> element_at(Runtime& runtime, RefPtr<RefCounted> owner, const DocumentRef& document,
                              int64_t position, RefPtr<RefCounted>* reading, Block& out);

}  // namespace weir
