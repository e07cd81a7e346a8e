// Positions for tests that don't care what they are positions of.
#pragma once

#include <string>
#include <string_view>

#include "iterator/checkpoint.h"

namespace weir {

// What an iterator could have saved; another text is another position.
inline std::string position_of(std::string_view text) {
  Checkpoint checkpoint;
  checkpoint.stage = text;
  return checkpoint.to_bytes();
}

}  // namespace weir
