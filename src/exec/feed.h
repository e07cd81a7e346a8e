// Feed and Mark: the input of a Window, and the position of a block in the feed's sequence.
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
  // Records of the position, which a Window passes on unread.
  RefPtr<const RefCounted> anchor;
  EpochTableRef epochs;
  // What was opened for the block; with its first rows only.
  RefPtr<const RefCounted> opened;
  // There was no memory for the records: the rows are there, but the position after them can't be saved.
  bool unplaced = false;
};

class Feed {
 public:
  virtual ~Feed() = default;
  // `context` is for this call only. On rows fills `out` and `mark`, at the end the mark's epochs. `out`
  // arrives with the memory of an earlier block. On pending keeps the waker of `context` (sharing it) and
  // wakes it once when it is worth asking again. Does not throw; errors are rows of `out`. The Window calls
  // it, and destroys it, on one thread at a time, any thread.
  virtual PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) = 0;
};

}  // namespace weir
