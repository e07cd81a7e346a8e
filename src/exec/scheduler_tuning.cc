// How a Scheduler's iterator runs ahead, the limit for the threads that work for it and its share of them,
// and pumps that need none.
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
  was_alone_ = alone_.settled_alone();
  wants_threads_ = false;
  stop_alone(lock);
}

void Scheduler::may_be_alone() noexcept {
  // Windows that a function opens come often.
  if (tries_alone_.load(std::memory_order_relaxed) || wants_threads_.load(std::memory_order_relaxed)) return;
  if (shares_.joined() || !clock_) return;
  RefPtr<const Tuning> tuning = this->tuning();
  MutexLock lock(mutex_);
  if (waiters_.has_descriptor() || wants_threads_) return;
  alone_.start(was_alone_ || tuning->begin.contains(kAlone), !tuning->begin.empty(), !tuning->tunes);
  show_alone();
}

void Scheduler::wants_threads() noexcept {
  if (wants_threads_.load(std::memory_order_relaxed)) return;
  MutexLock lock(mutex_);
  wants_threads_ = true;
  stop_alone(lock);
}

// After what may have changed alone_. Others read the two flags all the time, so they are written only if
// they did.
// REQUIRES: mutex_ is held
void Scheduler::show_alone() noexcept {
  const auto show = [](std::atomic<bool>& shown, bool now) {
    if (shown.load(std::memory_order_relaxed) != now) shown.store(now, std::memory_order_relaxed);
  };
  next_look_ns_.store(alone_.next_look_ns(), std::memory_order_relaxed);
  show(tries_alone_, alone_.tunes());
  show(stays_alone_, alone_.stays_alone());
}

bool Scheduler::found_alone() noexcept {
  MutexLock lock(mutex_);
  return alone_.settled_alone();
}

// Releases the lock.
void Scheduler::stop_alone(MutexLock& lock) noexcept {
  const bool was_alone = alone_.alone();
  alone_.stop();
  show_alone();
  if (was_alone) return submit_ready(lock);
  lock.unlock();
}

void Scheduler::answered(const PollRef& poll) noexcept {
  ran_here_ = false;
  if (!tries_alone_.load(std::memory_order_relaxed)) return;
  ++unseen_answers_;
  const int64_t now_ns = clock_->now_ns();
  // The lock is wanted by all threads, once for each run.
  if (now_ns < next_look_ns_.load(std::memory_order_relaxed)) return;
  const int64_t elements = poll.delivered();
  const int answers = std::exchange(unseen_answers_, 0);
  MutexLock lock(mutex_);
  const bool changes = elements > 0 && alone_.answered(elements, waited_ns(), now_ns, answers);
  show_alone();
  if (changes && !alone_.alone()) submit_ready(lock);
}

// Asks for threads for the pumps that became ready while no other thread ran them. Releases the lock.
void Scheduler::submit_ready(MutexLock& lock) noexcept {
  int missing[kLanes] = {};
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
  return !alone_.alone() && jobs_.admit(lane, ready_[static_cast<int>(lane)].size());
}

RefPtr<const Tuning> Scheduler::tuning() noexcept {
  MutexLock lock(mutex_);
  return tuning_ ? tuning_ : usual_tuning;
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
    pump.watched_ = alone_.samples();
    running_.begin();
  }
  pump.here_ = true;
  SchedulerFrame* outer = SchedulerFrame::innermost();
  if (outer) outer->runs_another();
  if (!makes_here() || outer->runs_pump()) return execute(pump, true);
  // It would have had to wait for it.
  ran_here_ = true;
  const Waiting waiting(*this);
  execute(pump, true);
}

}  // namespace weir
