// Handout: a block that is being given out piece by piece, and the call that fills one from a feed.
// Ownership: pieces share the block's buffers. Threads: one at a time.
// Errors: see pull_guarded. Cost: a whole block is swapped; a piece costs two references a column.
#pragma once

#include <cstdint>

#include "exec/feed.h"

namespace weir {

struct Handout {
  Block block;
  Mark mark;
  int64_t bytes = 0;
  // Rows given so far.
  int given = 0;
  // There was no memory for the rows nor for their errors: each is out of memory, and given by itself.
  bool lost = false;

  bool exhausted() const { return given >= block.rows; }
  // True if give() would give all of it at once.
  bool whole(const Want& want) const;
  // Fills `out` and `at` with the next rows; where there is no memory for a piece of them, its first row is
  // an error. REQUIRES: !exhausted()
  void give(const Want& want, Block& out, Mark& at) noexcept;
  // Forgets the rows, and their memory if that is much: an idle place must not keep a second batch alive.
  void recycle();
};

// Calls the feed, which must not throw but is not trusted with that: what it throws becomes one error row,
// and `broken` is set so that the owner ends the sequence there.
Pull pull_guarded(Feed& feed, Context& context, const Want& want, Handout& into, bool& broken) noexcept;

}  // namespace weir
