// How elements with sparse or ragged parts are joined into batches: what becomes of each part, and the batch's structure.
#pragma once

#include <vector>

#include "core/spec.h"
#include "dataset/joined_buffer.h"

namespace weir {

struct JoinedPlan {
  std::vector<JoinedPart> parts;
  Spec batch;
  // Whether BatchBuffer, which is faster, does the same.
  bool dense = true;
};

// Batches of `length` elements of dense and sparse tensors; invalid_argument, with what to do instead, for others.
Result<JoinedPlan> plan_batch(const Spec& element, int64_t length);
// The same, but dense tensors whose first dimension is unknown become ragged.
Result<JoinedPlan> plan_ragged_batch(const Spec& element, int64_t length);

}  // namespace weir
