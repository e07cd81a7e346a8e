// How a Scheduler's iterator runs ahead, the limit for the threads that work for it and its share of them, and pumps that
// need none.
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
  sharing_ = outer.sharing_ ? outer.sharing_ : RefPtr<Scheduler>(&outer);
  MutexLock lock(mutex_);
  if (tuning->threads > 0) most_jobs_ = 0;
  std::swap(tuning_, tuning);
  lock.unlock();
}

JobShare* Scheduler::share(Lane lane) {
  return &(sharing_ ? *sharing_ : *this).shares_[static_cast<int>(lane)];
}

// Counts a job that is worth submitting, if there may be another one.
// REQUIRES: mutex_ is held
bool Scheduler::admits_job(Lane lane) noexcept {
  const int index = static_cast<int>(lane);
  if (lane == Lane::caller || jobs_[index] >= ready_[index].size() || open_jobs_ >= most_jobs_) return false;
  ++jobs_[index];
  ++open_jobs_;
  return true;
}

RefPtr<const Tuning> Scheduler::tuning() noexcept {
  static const auto& usual = *new RefPtr<const Tuning>(make_ref<Tuning>());
  MutexLock lock(mutex_);
  return tuning_ ? tuning_ : usual;
}

void Scheduler::run_here(Pump& pump) {
  RefPtr<Pump> keep(&pump);
  RefPtr<Pump> listed;
  {
    MutexLock lock(mutex_);
    if (pump.state_ == Pump::State::scheduled) {
      listed = ready_[static_cast<int>(pump.lane_)].remove(pump);
    } else if (pump.state_ != Pump::State::idle) {
      return;
    }
    pump.state_ = Pump::State::running;
    ++running_;
  }
  pump.here_ = true;
  execute(pump, true);
}

}  // namespace weir
