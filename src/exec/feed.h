// Feed and Mark: what a Window pulls, and where in the feed's sequence a block stands.
// Ownership: a Window owns its Feed and destroys it on whichever thread uses it last.
// Threads: one at a time, any. Errors: rows of `out`; nothing is thrown. Cost: the feed's own.
#pragma once

#include <cstdint>

#include "core/block.h"
#include "core/epochs.h"
#include "core/pull.h"
#include "core/runtime.h"

namespace weir {

struct Mark {
  // The number of the block's first row in the feed's sequence, errors included.
  int64_t ordinal = 0;
  // Records of the position, which a Window carries along and never looks at. Null behind an unordered one.
  RefPtr<const RefCounted> anchor;
  EpochTableRef epochs;
  // There was no memory for the records: the rows are there, but nothing can be saved behind them.
  bool unplaced = false;
};

class Feed {
 public:
  virtual ~Feed() = default;
  // On rows fills `out` and `mark`, at the end the mark's epochs. `out` arrives with the memory of an earlier
  // block. On pending keeps the waker of `context` (sharing it) and wakes it once when it is worth asking
  // again.
  virtual PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) = 0;
};

}  // namespace weir
