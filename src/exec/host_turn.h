// HostTurn: lets one call at a time into a function of the host that does not take several at once.
//
//   HostTurn::Hold hold(*turn, session.scheduler);
//   if (!hold.status().ok()) return hold.status();
//
// The call in progress may ask another iterator for an element, and that iterator may need the same function:
// both would wait for ever. So the wait graph records which iterators wait for a turn, and what the call that
// has it waits for; a wait that would close a circle is refused. May be used on any thread; a free turn costs
// no more than a lock.
#pragma once

#include "exec/scheduler.h"

namespace weir {

class HostTurn final : public Waker {
 public:
  void wake() override {}

  class Hold {
   public:
    // Waits for the turn, in code of `scheduler`; null: of no iterator, so that nothing can wait for it.
    Hold(HostTurn& turn, Scheduler* scheduler);
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold();
    // failed_precondition, and no turn, if the wait could never end.
    const Status& status() const { return status_; }

   private:
    HostTurn& turn_;
    // Where it says that this thread has the turn; null outside iterators.
    SchedulerFrame* const frame_;
    Waker* before_ = nullptr;
    Status status_;
  };

  // For what cannot fail: without a wait if a call further up on this thread has the turn.
  template <class F>
  void run(F&& f) {
    if (mine()) return f();
    MutexLock lock(mutex_);
    f();
  }

 private:
  bool mine() const;

  Mutex mutex_;
};

}  // namespace weir
