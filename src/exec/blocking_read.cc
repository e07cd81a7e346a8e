// Pumps that read files, which nobody waits for.
#include "exec/scheduler.h"

namespace weir {

void Scheduler::count_run() {
  MutexLock lock(mutex_);
  ++running_;
}

void Scheduler::uncount_run() {
  RefPtr<Parker> waiter;
  do {
    MutexLock lock(mutex_);
    if (!waiter) --running_;
    waiter = running_ == 0 ? pop(quiet_waiters_) : nullptr;
    lock.unlock();
    if (waiter) waiter->unpark();
  } while (waiter);
}

BlockingRead::BlockingRead() noexcept
    : BlockingRead(
          []() -> Scheduler* {
            const SchedulerFrame* frame = SchedulerFrame::innermost();
            return frame ? frame->scheduler() : nullptr;
          }(),
          SchedulerFrame::innermost() && SchedulerFrame::innermost()->runs_pump()) {}

BlockingRead::BlockingRead(Scheduler* scheduler, bool in_pump) noexcept
    : scheduler_(in_pump ? scheduler : nullptr),
      slice_(scheduler ? scheduler->trace_ : nullptr, scheduler ? scheduler->clock_ : nullptr, "read",
             "file") {
  if (scheduler_) scheduler_->uncount_run();
}

BlockingRead::~BlockingRead() {
  if (scheduler_) scheduler_->count_run();
}

}  // namespace weir
