// Blocks of elements as text: what Iterator::next gives for several rows. Dense tensors print with one more
// dimension, parts that are sparse, ragged or optional as a list of their rows.
#pragma once

#include <string>

#include "core/spec.h"
#include "core/value.h"

namespace weir {

// Formats `rows` elements in at most kMaxElementText bytes, else resource_exhausted.
// REQUIRES: `block` has the components of `spec`, each with a further first dimension; none is a dataset.
Result<std::string> format_block(const Spec& spec, const Components& block, int rows);

// True for a part that prints as a list.
bool prints_row_by_row(const Spec& spec);
// One row of such a part, whose components begin at `first`.
Components row_of_part(const Spec& part, const Components& block, size_t first, int row);

}  // namespace weir
