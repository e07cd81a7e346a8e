// How a Scheduler's iterator runs ahead, and the limit for the threads that work for it.
#include <utility>

#include "exec/scheduler.h"

namespace weir {

void Scheduler::tune(RefPtr<const Tuning> tuning) noexcept {
  MutexLock lock(mutex_);
  most_jobs_ = tuning->threads > 0 ? tuning->threads : kNoLimit;
  std::swap(tuning_, tuning);
  lock.unlock();
}

void Scheduler::tune_inside(Scheduler& outer) noexcept {
  RefPtr<const Tuning> tuning = outer.tuning();
  MutexLock lock(mutex_);
  if (tuning->threads > 0) most_jobs_ = 0;
  std::swap(tuning_, tuning);
  lock.unlock();
}

RefPtr<const Tuning> Scheduler::tuning() noexcept {
  static const auto& usual = *new RefPtr<const Tuning>(make_ref<Tuning>());
  MutexLock lock(mutex_);
  return tuning_ ? tuning_ : usual;
}

}  // namespace weir
