// Call: what the evaluation of a program carries along.
#pragma once

#include <cstdint>

#include "core/runtime.h"
#include "core/value.h"

namespace weir {

// Without a session (folding), nothing that needs one is run, and results are small.
struct Call {
  Session* session = nullptr;
  const Env* env = nullptr;
  uint64_t key = 0;
  int64_t base_ordinal = 0;
  const int32_t* selection = nullptr;
  int64_t tensor_bytes = 0;

  int64_t ordinal(int row) const { return base_ordinal + (selection ? selection[row] : row); }
};

}  // namespace weir
