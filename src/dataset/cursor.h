// Cursor: the mutable position of one operator, and the part that the operator's author writes.
//
// A Stage owns the cursor. It calls `state` and `resume` before the first `next` of a restored cursor, then
// `next` from one thread at a time, so cursors need no locks. It may call `state` between any two calls of
// `next`, also after pending. Contract of next(ctx, demand, out):
// 1. It answers rows with 1..demand.rows rows in `out`, end, pending or cancelled, or returns an error, which
//    the Stage turns into one error row; the next call continues after it.
// 2. `out` is written only on rows. It arrives with the memory of the last block.
// 3. It pulls no more from its input than it needs for demand.rows rows.
// 4. An exception is an error, too: see lose().
// 5. Rows that it keeps keep their origins; if it returns an error, out.origins may say where row 0 came
// from.
// 6. Pending from an input is passed on, and the call may be repeated with another demand: progress lives in
//    members.
#pragma once

#include "core/archive.h"
#include "core/pull.h"
#include "core/runtime.h"

namespace weir {

class HeldRows;    // dataset/held_rows.h
class ParamsBase;  // dataset/params.h
struct Holding;    // dataset/holding.h
struct Opening;    // dataset/instance.h

class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual Step next(Context& ctx, const Demand& demand, Block& out) = 0;
  // Called after next() threw, usually for lack of memory: steps over the rows in progress, so that the next
  // call continues after them. Returns the number of lost rows; the Stage returns an error in place of each.
  // If it is 0, next() is called again at once, and eventually returns `error` itself. A source that throws
  // before it has moved must move here, or it fails for ever.
  virtual int64_t lose(const ErrorPtr& error) noexcept {
    (void)error;
    return 1;
  }
  // At least so many rows come next, each an element or one that memory runs out for, and nothing pending
  // before them. 0 if that is not known at once.
  virtual int64_t assured() const noexcept { return 0; }
  // Names every member of the position once; saves and loads. Never pulls or opens anything.
  virtual void state(Archive& archive) = 0;
  // Called after loading: pulls, drops, reopens, refills. Answers rows when done, pending to be called again,
  // end if the input has too few rows. That and an error become one error row, after which the cursor is at
  // its end.
  virtual Step resume(Context& ctx) {
    (void)ctx;
    return PullResult::rows;
  }
};

// A cursor that makes rows before it is asked for them.
class AheadOfConsumer : public Cursor {
 public:
  // Lets it begin before the first next(), not if it is about to be loaded.
  virtual void warm_start() noexcept = 0;
  // Called before state() where rows are saved by value: puts those that it has made and not given after
  // `rows`. They count as given in what state() then writes. It stops running ahead first, or stops the save.
  virtual void hold(Holding& holding, HeldRows& rows) = 0;
};

// A cursor that keeps elements of its input, which a position has by value if they cannot be made again.
class RowKeeper : public Cursor {
 public:
  // Called before state() saves: puts the elements of which the position needs the values after `rows`.
  virtual void hold(HeldRows& rows) = 0;
  // Called after state() has loaded, with those that hold() put there, if there were any. An error becomes
  // one error row, after which the cursor is at its end.
  virtual Status take_back(HeldRows rows) = 0;
};

// A cursor that can begin again for other variables, which costs less than another one. Such cursors are kept
// at their end where a function opens its dataset row after row.
class RestartableCursor : public Cursor {
 public:
  // Makes it as a new one from these would be, but keeps its memory. The operator is the same, at the same
  // place. Returns false, and changes nothing, if a new one is needed.
  virtual bool restart(Opening& opening, const ParamsBase& params) = 0;
};

}  // namespace weir
