// PartialBlock: a block that is given out piece by piece, and the call that fills one from a feed.
// Ownership: pieces share the block's buffers. Threads: one at a time.
// Errors: see pull_guarded. Cost: a whole block is swapped; a piece costs two references a column.
#pragma once

#include <cstdint>

#include "exec/feed.h"

namespace weir {

struct PartialBlock {
  Block block;
  Mark mark;
  int64_t bytes = 0;
  // The first row that has not been given out.
  int next_row = 0;
  // There was no memory for the rows nor for their errors: each is out of memory, and given out by itself.
  bool rows_lost = false;

  bool exhausted() const { return next_row >= block.rows; }
  // True if take_rows() would give all of it at once.
  bool whole(const Demand& demand) const;
  // Fills `out` and `at` with the next rows; where there is no memory for a piece of them, its first row is
  // an error. REQUIRES: !exhausted()
  void take_rows(const Demand& demand, Block& out, Mark& at) noexcept;
  // Forgets the rows, and their memory if that is more: an idle place must not keep a second batch alive.
  void recycle(int64_t kept_bytes = int64_t{64} << 10);
};

// Calls the feed, which must not throw but is not trusted with that: what it throws becomes one error row,
// and `broken` is set so that the owner ends the sequence there.
PullResult pull_guarded(Feed& feed, Context& context, const Demand& demand, PartialBlock& into,
                        bool& broken) noexcept;

}  // namespace weir
