// PullResult, Demand and Step: the words in which a driver asks for rows and a cursor answers.
// Ownership: none. Threads: values. Cost: none.
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
  // The values are not wanted, only how many rows there are and which failed.
  bool drop = false;

  Demand at_most(int64_t limit) const {
    Demand demand = *this;
    demand.rows = static_cast<int>(std::min<int64_t>(rows, limit));
    return demand;
  }
};

// What a cursor returns: an answer, or the error that its Stage turns into one error row.
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

// Who is told that a pending pull is worth repeating. wake() may come on any thread, takes no lock of the
// caller's and never runs the woken work itself. Who keeps one past its call shares it (RefPtr<Waker>), since
// a wake may come after the asker went away; so wakers live on the heap.
class Waker : public RefCounted {
 public:
  virtual void wake() = 0;
};

}  // namespace weir
