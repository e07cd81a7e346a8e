// write_numbers: arithmetic sequences, as range and counter give them. Computed in int64, where sums wrap,
// and then cast.
#pragma once

#include <cstdint>

#include "core/block.h"

namespace weir {

// Makes a column of the `rows` numbers first, first + step, …
using WriteNumbers = void (*)(Column& column, uint64_t first, uint64_t step, int rows);

// Null for a dtype that is neither an integer nor a float.
WriteNumbers write_numbers(DType dtype);

// invalid_argument for such a dtype.
Status check_number_dtype(DType dtype);

}  // namespace weir
