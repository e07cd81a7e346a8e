#include "exec/scheduler.h"

#include <new>
#include <thread>

#include "core/text.h"
#include "exec/call_watch.h"
#include "exec/wait_graph.h"

namespace weir {
namespace {

// The number of polls and pumps that one try_drive runs before it answers pending anyway.
constexpr int kTriesPerCall = 16;

}  // namespace

constinit thread_local void* SchedulerFrame::thread_slot = nullptr;

void ReadyList::push(Pump& pump) {
  pump.ref();
  pump.previous_ = tail_;
  pump.next_ = nullptr;
  (tail_ ? tail_->next_ : head_) = &pump;
  tail_ = &pump;
  ++size_;
}

RefPtr<Pump> ReadyList::remove(Pump& pump) {
  (pump.previous_ ? pump.previous_->next_ : head_) = pump.next_;
  (pump.next_ ? pump.next_->previous_ : tail_) = pump.previous_;
  pump.previous_ = pump.next_ = nullptr;
  --size_;
  return RefPtr<Pump>::adopt(&pump);
}

void Pump::wake() { session_->scheduler->notify(*this); }
void Pump::close() { session_->scheduler->close(*this); }

// Runs one ready pump of a lane, if helping threads have left one.
class Scheduler::LaneJob final : public Job {
 public:
  LaneJob(Scheduler& scheduler, Lane lane)
      : Job(scheduler.shares_.of(lane)), scheduler_(&scheduler), lane_(lane) {}
  void run() noexcept override {
    scheduler_->run_one(lane_);
    scheduler_->end_job();
  }

 private:
  const RefPtr<Scheduler> scheduler_;
  const Lane lane_;
};

// A call that may wait for this scheduler: refuses if it could wait for ever, holds the edge while it lasts.
class Scheduler::Visit {
 public:
  explicit Visit(Scheduler& scheduler, SchedulerFrame::Does does = SchedulerFrame::Does::poll)
      : scheduler_(scheduler), frame_(&scheduler, does) {
    if (!scheduler.executor_.alive()) {
      status_ = failed_precondition(
          "expected the process that created this iterator, found a child after fork, which has none of its threads; create a new runtime in the child");
    } else if (frame_.outer()) {
      waits_ = add_wait(frame_.outer()->scheduler(), &scheduler);
      turn_ = waits_ ? frame_.outer()->turn() : nullptr;
      if (turn_ && !add_wait(turn_, &scheduler)) {
        remove_wait(frame_.outer()->scheduler(), &scheduler);
        waits_ = false;
      }
      if (!waits_) status_ = never_ends();
    }
  }
  ~Visit() {
    if (!waits_) return;
    if (turn_) remove_wait(turn_, &scheduler_);
    remove_wait(frame_.outer()->scheduler(), &scheduler_);
  }
  const Status& status() const { return status_; }

 private:
  static Status never_ends() {
    return failed_precondition(
        "expected an iterator that does not wait for the caller; this one's pipeline is waiting, directly or through other iterators, for the callback that makes this call. Use a separate iterator");
  }

  Scheduler& scheduler_;
  SchedulerFrame frame_;
  Status status_;
  bool waits_ = false;
  // Of the call that makes this one: who waits for it waits for this.
  Waker* turn_ = nullptr;
};

bool Scheduler::inside_any() { return SchedulerFrame::innermost() != nullptr; }

bool Scheduler::inside() const {
  for (const SchedulerFrame* frame = SchedulerFrame::innermost(); frame; frame = frame->outer()) {
    if (frame->scheduler() == this) return true;
  }
  return false;
}

Result<PullResult> Scheduler::drive_in_line(PollRef poll, bool saves) {
  Visit visit(*this);
  if (!visit.status().ok()) return visit.status();
  if (!try_lock_turn()) turn_.lock();
  const uint64_t seen = waiters_.wakes();
  const PullResult answer = poll();
  if (answer == PullResult::pending) return drive_on(poll, seen, saves);
  answered(poll);
  turn_.unlock();
  leave();
  return answer;
}

// Helps or parks until a poll is not pending, and gives up the right to drive.
// REQUIRES: this thread drives, its frame stands, and a poll begun at `seen` wakes answered pending
PullResult Scheduler::drive_on(PollRef poll, uint64_t seen, bool saves) {
  Sleeper sleeper{executor_.make_parker(), saves};
  for (;;) {
    MutexLock lock(mutex_);
    RefPtr<Pump> pump;
    const bool woken = waiters_.wakes() != seen;
    if (!woken) pump = claim_any();
    const bool parks = !woken && !pump && sleeper.parker;
    if (parks) waiters_.join(sleeper);
    lock.unlock();
    turn_.unlock();
    if (pump || parks) {
      const Waiting waiting(*this);
      if (pump) execute(*pump, true);
      if (parks) sleeper.parker->park();
    }
    turn_.lock();
    seen = waiters_.wakes();
    const PullResult answer = poll();
    if (answer == PullResult::pending) continue;
    answered(poll);
    turn_.unlock();
    leave();
    return answer;
  }
}

Result<PullResult> Scheduler::drive_once(PollRef poll) {
  Visit visit(*this, SchedulerFrame::Does::hurried_poll);
  if (!visit.status().ok()) return visit.status();
  // Counted from the first poll that answers pending, so that the others read no clock.
  int64_t deadline = 0;
  for (int tries = 0;; ++tries) {
    if (!turn_.try_lock()) {
      // A driver sees the armed descriptor when it leaves; if it left before, the second try succeeds.
      {
        MutexLock lock(mutex_);
        waiters_.arm();
      }
      if (!turn_.try_lock()) return PullResult::pending;
    }
    const uint64_t seen = waiters_.wakes();
    const PullResult answer = poll();
    if (answer != PullResult::pending) {
      answered(poll);
      turn_.unlock();
      leave();
      return answer;
    }
    const int64_t now = clock_ ? clock_->now_ns() : 0;
    if (deadline == 0) deadline = now + kTryBudgetNs;
    MutexLock lock(mutex_);
    const bool give_up = tries >= kTriesPerCall || now >= deadline;
    RefPtr<Pump> pump;
    const bool woken = waiters_.wakes() != seen;
    if (!give_up && !woken) pump = only_waiting_run() ? claim_any() : claim(Lane::caller);
    const bool again = !give_up && (pump || woken);
    if (!again) {
      waiters_.arm();
      if (give_up) waiters_.signal();
    }
    lock.unlock();
    turn_.unlock();
    poll.after_pending();
    if (pump) {
      const Waiting waiting(*this);
      execute(*pump, true);
    }
    if (!again) return PullResult::pending;
  }
}

// Parks a thread that has joined the sleepers, until somebody raises it or the deadline comes.
void Scheduler::park_until(Sleeper& sleeper, int64_t deadline) {
  const int64_t left = deadline - clock_->now_ns();
  if (left > 0) sleeper.parker->park_for(left);
  // One that was popped meanwhile has consumed a wake; when it leaves it passes the wake on.
  MutexLock lock(mutex_);
  waiters_.withdraw(sleeper);
}

// Takes the right to drive; false if the deadline comes first. A driver raises a sleeper when it leaves, and
// a thread that joined too late to be seen succeeds at its second try.
bool Scheduler::lock_turn_within(Sleeper& sleeper, int64_t deadline) {
  while (!turn_.try_lock()) {
    if (!sleeper.parker) {
      if (clock_->now_ns() >= deadline) return false;
      std::this_thread::yield();
      continue;
    }
    {
      MutexLock lock(mutex_);
      waiters_.join(sleeper);
    }
    if (turn_.try_lock()) {
      MutexLock lock(mutex_);
      waiters_.withdraw(sleeper);
      return true;
    }
    park_until(sleeper, deadline);
    if (clock_->now_ns() >= deadline) return false;
  }
  return true;
}

Result<PullResult> Scheduler::drive_until(PollRef poll, int64_t timeout_ns) {
  Visit visit(*this, SchedulerFrame::Does::hurried_poll);
  if (!visit.status().ok()) return visit.status();
  const int64_t now = clock_->now_ns();
  const int64_t deadline = timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
  Sleeper sleeper{executor_.make_parker()};
  while (lock_turn_within(sleeper, deadline)) {
    const uint64_t seen = waiters_.wakes();
    const PullResult answer = poll();
    const bool late = answer == PullResult::pending && clock_->now_ns() >= deadline;
    if (answer != PullResult::pending || late) {
      if (!late) answered(poll);
      turn_.unlock();
      if (late) poll.after_pending();
      leave();
      return answer;
    }
    MutexLock lock(mutex_);
    RefPtr<Pump> pump;
    const bool woken = waiters_.wakes() != seen;
    if (!woken) pump = only_waiting_run() ? claim_any() : claim(Lane::caller);
    const bool parks = !woken && !pump && sleeper.parker;
    if (parks) waiters_.join(sleeper);
    lock.unlock();
    turn_.unlock();
    poll.after_pending();
    const Waiting waiting(*this);
    if (pump) execute(*pump, true);
    if (parks) park_until(sleeper, deadline);
  }
  // A wake that raised this thread goes to another.
  leave();
  return PullResult::pending;
}

Status Scheduler::run_between(PollRef work) {
  Visit visit(*this);
  if (!visit.status().ok()) return visit.status();
  turn_.lock();
  work();
  turn_.unlock();
  leave();
  return Status();
}

void Scheduler::wake() {
  WakingLock lock(mutex_);
  lock.wake(waiters_.wake());
}

void Scheduler::interrupt() {
  wake_all();
  try {
    // The cancel may also end what this iterator's code waits for.
    for (const RefPtr<Waker>& awaited : awaited_by(this)) {
      if (auto* scheduler = dynamic_cast<Scheduler*>(awaited.get())) scheduler->wake_all();
    }
  } catch (const std::bad_alloc&) {
    // Those notice the cancel when their wait ends by itself.
  }
}

void Scheduler::wake_all() {
  for (;;) {
    WakingLock lock(mutex_);
    RefPtr<Parker> sleeper = waiters_.wake();
    if (!sleeper) return;
    lock.wake(std::move(sleeper));
  }
}

void Scheduler::wait_until_quiet() {
  if (!inside_any() && executor_.alive()) park_until_quiet();
}

void Scheduler::wait_until_quiet_inside() {
  const Visit visit(*this);
  if (visit.status().ok()) park_until_quiet();
}

void Scheduler::park_until_quiet() {
  Sleeper sleeper{executor_.make_parker()};
  for (;;) {
    MutexLock lock(mutex_);
    if (!running_.wait(sleeper)) return;
    lock.unlock();
    if (sleeper.parker) {
      sleeper.parker->park();
    } else {
      std::this_thread::yield();
    }
  }
}

Result<int> Scheduler::ready_descriptor() {
  // Who waits for it does something else meanwhile.
  wants_threads();
  MutexLock lock(mutex_);
  return waiters_.descriptor();
}

void Scheduler::notify(Pump& pump) {
  WakingLock lock(mutex_);
  if (pump.state_ == Pump::State::running) pump.state_ = Pump::State::notified;
  if (pump.state_ == Pump::State::idle) schedule(pump, lock, true);
}

// Puts the pump into the ready list, asks its lane for a thread and, if `raise` is set, raises a sleeper,
// since nobody knows when the lane has a thread. Releases the lock.
void Scheduler::schedule(Pump& pump, WakingLock& lock, bool raise) {
  const Lane lane = pump.lane_;
  const int index = static_cast<int>(lane);
  pump.state_ = Pump::State::scheduled;
  ready_[index].push(pump);
  const bool submits = admits_job(lane);
  if (lane == Lane::caller) waiters_.signal();
  if (raise) lock.wake(waiters_.pop());
  lock.unlock();
  if (submits) submit(lane);
}

void Scheduler::submit(Lane lane) {
  RefPtr<Job> job(new (std::nothrow) LaneJob(*this, lane));
  const bool accepted = job && executor_.submit(lane, std::move(job));
  if (accepted) return;
  MutexLock lock(mutex_);
  jobs_.refused(lane);
  waiters_.signal();
}

void Scheduler::close(Pump& pump) {
  RefPtr<Pump> keep(&pump);
  RefPtr<Pump> listed;
  MutexLock lock(mutex_);
  switch (pump.state_) {
    case Pump::State::closing:
    case Pump::State::closed:
      return;
    case Pump::State::running:
    case Pump::State::notified:
      pump.state_ = Pump::State::closing;
      return;
    case Pump::State::scheduled:
      listed = ready_[static_cast<int>(pump.lane_)].remove(pump);
      break;
    case Pump::State::idle:
      break;
  }
  pump.state_ = Pump::State::closed;
  lock.unlock();
  pump.release();
}

// REQUIRES: mutex_ is held
RefPtr<Pump> Scheduler::claim(Lane lane) {
  ReadyList& ready = ready_[static_cast<int>(lane)];
  if (ready.empty()) return nullptr;
  RefPtr<Pump> pump = ready.remove(*ready.front());
  pump->state_ = Pump::State::running;
  pump->watched_ = pace_.samples();
  running_.begin();
  return pump;
}

// REQUIRES: mutex_ is held
RefPtr<Pump> Scheduler::claim_any() {
  for (Lane lane : {Lane::caller, Lane::compute, Lane::blocking}) {
    if (RefPtr<Pump> pump = claim(lane)) return pump;
  }
  return nullptr;
}

void Scheduler::run_one(Lane lane) {
  MutexLock lock(mutex_);
  jobs_.begun(lane);
  RefPtr<Pump> pump = claim(lane);
  lock.unlock();
  if (pump) execute(*pump, false);
}

// Where there is a limit, pumps may have become ready without a job.
void Scheduler::end_job() noexcept {
  MutexLock lock(mutex_);
  jobs_.ended();
  if (!jobs_.limited()) return;
  for (Lane lane : {Lane::compute, Lane::blocking}) {
    if (!admits_job(lane)) continue;
    lock.unlock();
    return submit(lane);
  }
}

std::string Scheduler::describe() {
  const bool driven = !turn_.try_lock();
  if (!driven) turn_.unlock();
  std::string text =
      concat("scheduler ", name_of(this), driven ? ": driven" : ": no driver", "; wakes ", waiters_.wakes());
  if (!mutex_.try_lock()) return text + "; locked";
  text += concat("; sleepers ", waiters_.sleepers(), "; waiting for quiet ", running_.waiting(),
                 "; pumps running ", running_.count());
  constexpr std::string_view kNames[kLanes] = {"compute", "blocking", "caller"};
  for (int lane = 0; lane < kLanes; ++lane) {
    text += concat("; ", kNames[lane], ": ready ", ready_[lane].size(), ", jobs ",
                   jobs_.waiting(static_cast<Lane>(lane)));
  }
  if (jobs_.helpless()) text += "; helpless";
  if (pace_.alone()) text += "; alone";
  if (waiters_.armed()) text += "; descriptor armed";
  mutex_.unlock();
  return text;
}

// Work of this thread for the iterator, of which pace_ is told if it was to be watched.
class Scheduler::Measured {
 public:
  Measured(Scheduler& scheduler, SchedulerFrame::Does does, bool watched)
      : scheduler_(scheduler), frame_(&scheduler, does), watched_(watched) {
    begin_ns_ = watched ? scheduler.clock_->now_ns() : 0;
    if (watched) watch_.begin(*scheduler.clock_);
  }
  // What ran inside it is measured by itself.
  void stop() {
    watched_ = watched_ && !frame_.ran_another();
    if (!watched_) return;
    end_ns_ = scheduler_.clock_->now_ns();
    length_ = watch_.length(*scheduler_.clock_, end_ns_ - begin_ns_);
  }
  // Returns true if submit_ready() is to be called without the lock.
  // REQUIRES: stopped, and mutex_ is held
  bool tell() {
    if (!watched_) return false;
    const bool changes = scheduler_.pace_.ran(length_.ns, length_.computed_ns, end_ns_);
    scheduler_.show_pace();
    return changes;
  }

 private:
  Scheduler& scheduler_;
  SchedulerFrame frame_;
  bool watched_;
  int64_t begin_ns_ = 0;
  int64_t end_ns_ = 0;
  CallWatch watch_;
  CallWatch::Length length_;
};

int64_t Scheduler::run_measured(PollRef work) {
  if (SchedulerFrame* outer = SchedulerFrame::innermost()) outer->runs_another();
  bool watched = false;
  if (tunes_.load(std::memory_order_relaxed)) {
    MutexLock lock(mutex_);
    watched = pace_.samples();
  }
  Measured measured(*this, SchedulerFrame::Does::poll, watched);
  const int64_t begin_ns = clock_->now_ns();
  work();
  const int64_t took_ns = clock_->now_ns() - begin_ns;
  measured.stop();
  bool changes = false;
  if (watched) {
    MutexLock lock(mutex_);
    changes = measured.tell();
  }
  if (changes) submit_ready();
  return took_ns;
}

void Scheduler::execute(Pump& pump, bool helping) {
  Measured measured(*this, SchedulerFrame::Does::run_pump, std::exchange(pump.watched_, false));
  const Pump::After after = pump.run(helping);
  measured.stop();
  bool closing = false;
  bool changes = false;
  {
    WakingLock lock(mutex_);
    changes = measured.tell();
    closing = pump.state_ == Pump::State::closing;
    if (closing) {
      pump.state_ = Pump::State::closed;
    } else if (pump.state_ == Pump::State::notified || after == Pump::After::again) {
      // A helping thread is awake and comes back to help again.
      schedule(pump, lock, !helping);
    } else {
      pump.state_ = Pump::State::idle;
    }
  }
  if (closing) pump.release();
  if (changes) submit_ready();
  uncount_run();
}

RefPtr<Session> make_session(Runtime& runtime) {
  RefPtr<Scheduler> scheduler = make_ref<Scheduler>(runtime);
  Scheduler* plain = scheduler.get();
  return make_ref<Session>(runtime, std::move(scheduler), plain);
}

}  // namespace weir
