// What Ports are told of files that could not be read, where the error was left out (note_failed_read in
// openings.h), is for the rows in their turn. What reads ahead takes the note back and gives it again in its
// turn, since a replay may read ahead less or more; what reads rows again takes it back, since the enclosing
// Ports have a cut there.
#pragma once

#include <utility>

#include "dataset/openings.h"

namespace weir {

// Takes back that a read failed in this pull; false if none did.
inline bool take_back_failed_read(Context& ctx) noexcept {
  bool failed = false;
  for (OpeningLog* log = ctx.openings; log; log = log->outer)
    failed = std::exchange(log->read_failed, false) || failed;
  return failed;
}

}  // namespace weir
