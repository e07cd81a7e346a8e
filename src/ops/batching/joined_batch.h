// How elements with sparse or ragged parts are joined into batches: what becomes of each part, and the
// batch's structure.
#pragma once

#include <vector>

#include "core/spec.h"
#include "core/value.h"
#include "dataset/joined_buffer.h"

namespace weir {

struct JoinedPlan {
  std::vector<JoinedPart> parts;
  Spec batch;
  // Whether BatchBuffer, which is faster, does the same.
  bool dense = true;
};

// Batches of `length` elements of dense and sparse tensors; invalid_argument, with what to do instead, for
// others.
Result<JoinedPlan> plan_batch(const Spec& element, int64_t length);
// The same, but dense tensors whose first dimension is unknown become ragged.
Result<JoinedPlan> plan_ragged_batch(const Spec& element, int64_t length);
// Batches of `length` rows of such values, each part of the kind that it is in the value.
// REQUIRES: row_of_value(value) is ok (ops/batching/value_rows.h)
JoinedPlan plan_rows(const Spec& value, int64_t length);
// A batch of no rows. Unknown dimensions are 0.
Components empty_batch(const Spec& batch);
// What makes a dense tensor of such a part, for errors; "" if there is no such thing.
const char* how_to_make_dense(const Spec& part);

}  // namespace weir
