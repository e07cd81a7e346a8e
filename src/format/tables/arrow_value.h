// ArrowValue: batches of a table as a value whose slices along the first dimension are the rows. Numbers that
// lie one after the other stay where they are, strings are views; the value then owns the batches. All else
// is copied.
#pragma once

#include <string>
#include <vector>

#include "core/spec.h"
#include "core/value.h"
#include "format/tables/arrow_rows.h"

namespace weir {

struct ArrowValue {
  // What from_tensor_slices takes. Lists of one length are dimensions, others ragged.
  Spec spec;
  Components values;
  // The row, an expression of the slice `x`; empty if it is the slice. A ragged row is a pair of its values
  // and row splits in the slice.
  std::string row;
};

// invalid_argument, with the name of the column, for types that elements don't have and for nulls;
// data_loss for batches that their schema doesn't fit.
Result<ArrowValue> value_of_batches(const ArrowSchema& schema, std::vector<RefPtr<TableBatch>> batches);

}  // namespace weir
