// Turns: the slots of an operator that takes turns, as far as their next rows are assured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir {

// A slot that takes part in the next turns, and how many rows it is sure to have.
struct Turn {
  int64_t slot = 0;
  int64_t assured = 0;
};

// How many rows the slots give in turn, `block_length` each, round after round, before one of them has given
// all that are assured; at most `wanted`. The first has `given` rows of its turn behind it.
inline int64_t assured_rows(const std::vector<Turn>& turns, int64_t block_length, int64_t given,
                            int64_t wanted) {
  const int64_t round = static_cast<int64_t>(turns.size()) * block_length;
  for (size_t i = 0; i < turns.size(); ++i) {
    // Its rows come one after the other at best.
    if (turns[i].assured >= wanted) continue;
    const int64_t end = (i == 0 ? given : 0) + turns[i].assured;
    const int64_t place =
        end / block_length * round + static_cast<int64_t>(i) * block_length + end % block_length - given;
    wanted = std::min(wanted, place);
  }
  return wanted;
}

}  // namespace weir
