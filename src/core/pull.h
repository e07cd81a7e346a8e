// PullResult, Demand and Step: how a driver asks for rows and a cursor answers.
#pragma once

#include <algorithm>

#include "core/block.h"
#include "core/ref.h"
#include "core/status.h"

namespace weir {

struct Context;

enum class PullResult : uint8_t {
  rows,       // `out` holds at least one row
  end,        // no row now or later
  pending,    // no row now; the waker of the asker is woken once when it is worth asking again
  cancelled,  // the iterator was cancelled
};

struct Demand {
  int rows = 1;
  int64_t bytes = kMaxBlockBytes;
  // Only the number of rows and the failed ones are wanted, not the values.
  bool drop = false;
  // Of the rows, only the values of `first`, first + step, … are wanted; the others may be left out
  // (Block::thinned).
  int first = 0;
  int step = 1;

  Demand at_most(int64_t limit) const {
    Demand demand = *this;
    demand.rows = static_cast<int>(std::min<int64_t>(rows, limit));
    return demand;
  }
};

// What a cursor returns: an answer, or an error that its Stage turns into one error row.
class Step {
 public:
  Step(PullResult answer) : answer_(answer) {}
  // REQUIRES: !status.ok()
  Step(const Status& status) : answer_(PullResult::rows), error_(status.pointer()) {}
  Step(ErrorPtr error) : answer_(PullResult::rows), error_(std::move(error)) {}

  PullResult answer() const { return answer_; }
  const ErrorPtr& error() const { return error_; }

 private:
  PullResult answer_;
  ErrorPtr error_;
};

// Told when a pending pull is worth repeating. wake() may be called on any thread, takes none of the caller's
// locks and never runs the woken work itself. To keep a waker past the call that passed it, share it
// (RefPtr<Waker>), since a wake may come after the asker is gone; so wakers live on the heap.
class Waker : public RefCounted {
 public:
  virtual void wake() = 0;
};

}  // namespace weir
