// How a Scheduler's iterator runs ahead, the limit for the threads that work for it, and its share of them.
#include <utility>

#include "exec/scheduler.h"

namespace weir {

namespace {

// Never destroyed: threads may still ask while the process ends.
const auto& usual_tuning = *new RefPtr<const Tuning>(make_ref<Tuning>());

}  // namespace

void Scheduler::tune(RefPtr<const Tuning> tuning) noexcept {
  MutexLock lock(mutex_);
  jobs_.limit(tuning->threads);
  std::swap(tuning_, tuning);
  wants_threads_ = false;
  use_threads(lock);
}

void Scheduler::may_be_alone() noexcept {
  // Windows that a function opens come often.
  if (tunes_.load(std::memory_order_relaxed) || wants_threads_.load(std::memory_order_relaxed)) return;
  if (shares_.joined() || !clock_) return;
  RefPtr<const Tuning> tuning = this->tuning();
  MutexLock lock(mutex_);
  if (waiters_.has_descriptor() || wants_threads_) return;
  const bool known = !tuning->begin.empty() || tuning->warm_start;
  const bool alone = tuning->begin.contains(kAlone) || (tuning->tunes && !known);
  pace_.start(alone, known, !tuning->tunes, clock_->now_ns());
  show_pace();
}

void Scheduler::expects_waiting() noexcept {
  if (!compares_.load(std::memory_order_relaxed)) return;
  MutexLock lock(mutex_);
  const bool changes = pace_.expect_waiting(clock_->now_ns());
  show_pace();
  lock.unlock();
  if (changes) submit_ready();
}

void Scheduler::wants_threads() noexcept {
  if (wants_threads_.load(std::memory_order_relaxed)) return;
  MutexLock lock(mutex_);
  wants_threads_ = true;
  use_threads(lock);
}

// After what may have changed pace_. Others read the flags all the time, so they are written only if they
// did.
// REQUIRES: mutex_ is held
void Scheduler::show_pace() noexcept {
  const auto show = [](std::atomic<bool>& shown, bool now) {
    if (shown.load(std::memory_order_relaxed) != now) shown.store(now, std::memory_order_relaxed);
  };
  show(tunes_, pace_.tunes());
  show(alone_, pace_.alone());
  show(compares_, pace_.compares());
}

bool Scheduler::found_alone() noexcept {
  MutexLock lock(mutex_);
  return pace_.settled_alone();
}

// Releases the lock.
void Scheduler::use_threads(MutexLock& lock) noexcept {
  const bool was_alone = pace_.alone();
  pace_.stop();
  show_pace();
  lock.unlock();
  if (was_alone) submit_ready();
}

void Scheduler::answered(const PollRef& poll) noexcept {
  if (!compares_.load(std::memory_order_relaxed)) return;
  const int64_t elements = poll.delivered();
  if (elements == 0) return;
  MutexLock lock(mutex_);
  const bool changes = pace_.answered(elements, clock_->now_ns());
  show_pace();
  lock.unlock();
  if (changes) submit_ready();
}

// Asks for threads for the pumps that became ready while no other thread ran them.
void Scheduler::submit_ready() noexcept {
  int missing[kLanes] = {};
  MutexLock lock(mutex_);
  for (Lane lane : {Lane::compute, Lane::blocking}) {
    while (admits_job(lane)) ++missing[static_cast<int>(lane)];
  }
  lock.unlock();
  for (Lane lane : {Lane::compute, Lane::blocking}) {
    for (int i = 0; i < missing[static_cast<int>(lane)]; ++i) submit(lane);
  }
}

void Scheduler::tune_inside(Scheduler& outer) noexcept {
  RefPtr<const Tuning> tuning = outer.tuning();
  shares_.join(outer.shares_, RefPtr<const RefCounted>(&outer));
  MutexLock lock(mutex_);
  if (tuning->threads > 0) jobs_.forbid();
  std::swap(tuning_, tuning);
  lock.unlock();
}

// Counts a job that is worth submitting, if there may be another one.
// REQUIRES: mutex_ is held
bool Scheduler::admits_job(Lane lane) noexcept {
  return !pace_.alone() && jobs_.admit(lane, ready_[static_cast<int>(lane)].size());
}

RefPtr<const Tuning> Scheduler::tuning() noexcept {
  MutexLock lock(mutex_);
  return tuning_ ? tuning_ : usual_tuning;
}

}  // namespace weir
