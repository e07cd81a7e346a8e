// Pumps that read files, which nobody waits for.
#include <utility>

#include "exec/scheduler.h"

namespace weir {

void Scheduler::count_run() {
  MutexLock lock(mutex_);
  running_.begin();
}

void Scheduler::uncount_run() {
  for (bool ends = true;; ends = false) {
    WakingLock lock(mutex_);
    if (ends) running_.end();
    RefPtr<Parker> waiter = running_.pop();
    if (!waiter) return;
    lock.wake(std::move(waiter));
  }
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
      slice_(scheduler ? scheduler->waited_.trace() : nullptr, scheduler ? scheduler->clock_ : nullptr,
             "read", "file") {
  if (scheduler_) scheduler_->uncount_run();
}

BlockingRead::~BlockingRead() {
  if (scheduler_) scheduler_->count_run();
}

}  // namespace weir
