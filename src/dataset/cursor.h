// Cursor: the mutable position of one operator; what the author of an operator writes.
//
// Who calls what: a Stage calls `state` and `resume` before the first `next` of a restored cursor, then
// `next` from one thread at a time, and `state` between any two calls of `next`, also after pending. Contract
// of next(ctx, demand, out):
//  1. It answers rows with 1..demand.rows rows in `out`, end, pending or cancelled, or returns an error, which
//  the
//     Stage turns into one error row; the next call goes on behind it.
//  2. `out` is written only on rows. It arrives with the memory of the last block.
//  3. It pulls no more from its input than it needs for demand.rows rows of its own.
//  4. What it throws is an error, too: see lose().
//  5. Rows that it keeps keep their origins; where it returns an error, out.origins may say where row 0 came from.
//  6. Pending from an input is passed on, and the call can be repeated with another demand: progress lives in
//  members.
// Ownership: a Stage owns its cursor, a cursor its Ports. Threads: one driver at a time, so cursors hold no
// locks.
#pragma once

#include "core/archive.h"
#include "core/pull.h"
#include "core/runtime.h"

namespace weir {

class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual Step next(Context& ctx, const Demand& demand, Block& out) = 0;
  // After next() threw, for lack of memory as a rule: steps over what it was making, so that the next call
  // goes on behind it. Returns how many rows of its own that was; the Stage gives as many errors, each in the
  // place of one of them. 0: next() is called again at once, and gives `error` itself in the end. A source
  // that throws before it has moved must move here, or it fails for ever.
  virtual int64_t lose(const ErrorPtr& error) noexcept {
    (void)error;
    return 1;
  }
  // Names every member that a position consists of, once; saves and loads. Never pulls, never opens.
  virtual void state(Archive& archive) = 0;
  // After loading: pulls, drops, reopens, refills. Answers rows when done, pending to be called again, end
  // where the input has too few rows. That and an error become one error row, after which the cursor is at
  // its end.
  virtual Step resume(Context& ctx) {
    (void)ctx;
    return PullResult::rows;
  }
};

}  // namespace weir
