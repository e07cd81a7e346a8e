// Call: what the evaluation of a program carries along.
#pragma once

#include <cstdint>

#include "core/runtime.h"
#include "core/value.h"

namespace weir {

// What the values of a call take, and how much that may be. Many rows of a program without effects may be
// given up for fewer at once: then take() throws Overfull before there is more.
struct Room {
  struct Overfull {};

  int64_t most = INT64_MAX;
  int64_t taken = 0;

  void take(int64_t bytes) {
    taken += bytes;
    if (taken > most) throw Overfull();
  }
};

// Without a session (folding), nothing that needs one is run, and results are small.
struct Call {
  Session* session = nullptr;
  const Env* env = nullptr;
  uint64_t key = 0;
  int64_t base_ordinal = 0;
  const int32_t* selection = nullptr;
  int64_t tensor_bytes = 0;
  // Null: nothing is counted.
  Room* room = nullptr;

  int64_t ordinal(int row) const { return base_ordinal + (selection ? selection[row] : row); }
};

}  // namespace weir
