// Scheduler: the pumps of one iterator that are ready to run, and the threads that wait for this iterator.
//
// Only the thread that holds the right to drive polls the root. A thread that waits polls; on pending it runs
// ready pumps of this scheduler, one pull at a time, and polls again; if none is ready it parks. It gives up
// the right while it helps or is parked. If that turns out to be faster, only such threads run pumps.
//
// Invariants:
//   1. A thread parks only after a poll that answered pending, and joins the sleepers before it gives up the
//      right to drive, so the next thread that polls sees it there.
//   2. Every wake is counted. A driver that finds the count changed since before its poll polls again.
//   3. A wake, and a pump that becomes ready, raise one sleeper; a driver that leaves raises one more. So as
//      long as there is something to poll or to run, some thread is awake.
//   4. The lock is a leaf (it comes after the turn); pumps, polls, the executor and parkers are called
//      without it.
//
// A pump inside a BlockingRead counts as not running for wait_until_quiet(): nothing can interrupt a read,
// and it uses only what its pump owns.
//
// Shared by the Session, queued jobs and its users as a waker. May be used on any thread. Methods fail
// with failed_precondition if waiting could never end, and in a child after fork. A drive that does not wait
// costs two atomic exchanges around the poll, and none if one thread drives all the time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "core/bias.h"
#include "core/pull.h"
#include "core/runtime.h"
#include "core/status.h"
#include "core/sync.h"
#include "core/trace.h"
#include "exec/executor.h"
#include "exec/fair_queue.h"
#include "exec/lane_jobs.h"
#include "exec/pace.h"
#include "exec/poll_waiters.h"
#include "exec/pump.h"
#include "exec/tuning.h"
#include "exec/waking_lock.h"
#include "exec/watch.h"

namespace weir {

// Pumps in the order in which they became ready. Guarded by the scheduler's lock.
class ReadyList {
 public:
  bool empty() const { return head_ == nullptr; }
  int size() const { return size_; }
  // REQUIRES: !empty()
  Pump* front() const { return head_; }
  // Adds a reference; remove() returns it.
  void push(Pump& pump);
  RefPtr<Pump> remove(Pump& pump);

 private:
  int size_ = 0;
  Pump* head_ = nullptr;
  Pump* tail_ = nullptr;
};

// The pumps that run and are not inside a BlockingRead, and the threads that wait until none does. Guarded by
// the scheduler's lock.
class RunningPumps {
 public:
  int count() const { return count_; }
  int waiting() const { return waiting_.size(); }
  void begin() { ++count_; }
  void end() { --count_; }
  // False if none runs. Else the thread is to park, and is woken then; without a parker it asks again.
  bool wait(Sleeper& sleeper) {
    if (count_ == 0) return false;
    if (sleeper.parker) waiting_.push(sleeper);
    return true;
  }
  // One of those that wait, if none runs.
  RefPtr<Parker> pop() { return count_ == 0 ? waiting_.pop() : nullptr; }

 private:
  int count_ = 0;
  SleeperList waiting_;
};

// How long threads have waited, and where that is traced. Used on any thread.
class WaitTime {
 public:
  explicit WaitTime(TraceLog* trace) : trace_(trace) {}
  TraceLog* trace() const { return trace_; }
  int64_t ns() const { return ns_.load(std::memory_order_relaxed); }
  void add(int64_t ns) { ns_.fetch_add(ns, std::memory_order_relaxed); }

 private:
  TraceLog* const trace_;
  std::atomic<int64_t> ns_{0};
};

// One iterator's code on this thread (on a fiber, under the simulation), inside the frames further up.
class SchedulerFrame {
 public:
  enum class Does : uint8_t { poll, hurried_poll, run_pump };
  explicit SchedulerFrame(Scheduler* scheduler, Does does = Does::poll)
      : slot_(slot()), scheduler_(scheduler), outer_(static_cast<SchedulerFrame*>(slot_)), does_(does) {
    slot_ = this;
  }
  SchedulerFrame(const SchedulerFrame&) = delete;
  SchedulerFrame& operator=(const SchedulerFrame&) = delete;
  ~SchedulerFrame() { slot_ = outer_; }
  Scheduler* scheduler() const { return scheduler_; }
  // A pump of the scheduler, rather than a poll.
  bool runs_pump() const { return does_ == Does::run_pump; }
  // Further up somebody will not wait for all that an element needs.
  bool hurried() const {
    const SchedulerFrame* frame = this;
    while (frame && frame->does_ != Does::hurried_poll) frame = frame->outer_;
    return frame != nullptr;
  }
  // Another pump ran inside this frame.
  bool ran_another() const { return ran_another_; }
  void runs_another() { ran_another_ = true; }
  // The turn (exec/host_turn.h) that a call of the host's has in this frame, or null. swap_turn() returns
  // what it was.
  Waker* turn() const { return turn_; }
  Waker* swap_turn(Waker* turn) { return std::exchange(turn_, turn); }
  // Null for the outermost.
  const SchedulerFrame* outer() const { return outer_; }
  static SchedulerFrame* innermost() { return static_cast<SchedulerFrame*>(slot()); }

 private:
  // Next to the thread pointer, so that reading it is one instruction in a shared library, too.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local void* thread_slot;
  static void*& slot() {
    if (SyncHooks* hooks = sync_hooks()) [[unlikely]]
      return hooks->local_slot();
    return thread_slot;
  }

  void*& slot_;
  Scheduler* const scheduler_;
  SchedulerFrame* const outer_;
  const Does does_;
  Waker* turn_ = nullptr;
  bool ran_another_ = false;
};

// Stands around one read of a file. If a pump reads, a thread that closes the iterator does not wait for it.
// After the read the pump must look at Session::cancelled before it does anything that destroy waits for,
// such as a callback.
class BlockingRead {
 public:
  BlockingRead() noexcept;
  BlockingRead(const BlockingRead&) = delete;
  BlockingRead& operator=(const BlockingRead&) = delete;
  ~BlockingRead();

 private:
  BlockingRead(Scheduler* scheduler, bool in_pump) noexcept;

  // Null outside pumps.
  Scheduler* const scheduler_;
  const TraceSlice slice_;
};

// After this long a try_drive begins nothing more.
inline constexpr int64_t kTryBudgetNs = 10'000'000;

// A mutex that goes to a thread that waits for it rather than to one that has just released it.
class QueuedMutex : public BiasedMutex {
 public:
  void lock() noexcept {
    MutexLock gate(gate_);
    BiasedMutex::lock();
  }

 private:
  Mutex gate_;
};

class Scheduler final : public Waker {
 public:
  explicit Scheduler(Runtime& runtime)
      : executor_(*runtime.executor), clock_(runtime.clock), waited_(runtime.trace) {}

  // Polls until the answer is not pending. `poll` is called as PullResult(), by one thread at a time, and
  // uses this scheduler as the waker in its Context.
  // REQUIRES: poll does not throw
  template <class Poll>
  Result<PullResult> drive(Poll&& poll) {
    if (SchedulerFrame frame(this); frame.outer() == nullptr && executor_.alive()) [[likely]] {
      const bool biased = turn_.enter();
      if (biased || try_lock_turn()) [[likely]] {
        const uint64_t seen = waiters_.wakes();
        const PullResult answer = poll();
        if (answer == PullResult::pending) [[unlikely]] {
          if (biased) turn_.keep();
          return drive_on(PollRef(poll), seen);
        }
        if (compares_.load(std::memory_order_relaxed)) [[unlikely]]
          answered(PollRef(poll));
        if (biased) [[likely]] {
          turn_.leave();
        } else {
          turn_.unlock_and_offer();
        }
        leave();
        return answer;
      }
    }
    return drive_in_line(PollRef(poll));
  }
  // Like drive, for a poll that waits for Windows to stop and takes no row: wake() raises a thread that takes
  // one rather than this, and wake_all() raises it, too.
  template <class Poll>
  Result<PullResult> drive_saving(Poll&& poll) {
    return drive_in_line(PollRef(poll), true);
  }
  // Polls and runs caller-lane pumps but never waits, and begins nothing more after kTryBudgetNs. Answers
  // pending if another thread drives.
  template <class Poll>
  Result<PullResult> try_drive(Poll&& poll) {
    return drive_once(PollRef(poll));
  }
  // Like drive, but answers pending after `timeout_ns`, and runs no pump that another thread could run: a
  // poll or pump on this thread is not interrupted. REQUIRES: timeout_ns >= 0, and the runtime has a clock
  template <class Poll>
  Result<PullResult> drive_within(int64_t timeout_ns, Poll&& poll) {
    return drive_until(PollRef(poll), timeout_ns);
  }
  // Polls once, in a pump of this scheduler. False if another thread drives: it tells those who wait when it
  // leaves.
  template <class Poll>
  bool drive_in_pump(Poll&& poll) {
    if (!turn_.try_lock()) return false;
    poll();
    turn_.unlock();
    leave();
    return true;
  }
  // Runs `work` with the right to drive, between two polls, to save or initialise. Fails if this thread
  // could wait for itself.
  template <class Work>
  Status between_polls(Work&& work) {
    return run_between(PollRef(work));
  }

  // The root is worth polling again.
  void wake() override;
  // Wakes every thread that waits here.
  void wake_all();
  // Wakes every thread that waits here, or in an iterator that this one's code waits for. Called after a
  // cancel.
  void interrupt();
  // Waits until no pump of this scheduler runs, except inside a BlockingRead. Returns at once on a thread
  // inside any iterator's code, where waiting might never end.
  void wait_until_quiet();
  // The same inside another iterator's code, for the thread that drove this scheduler there. Does not wait
  // where that might never end.
  void wait_until_quiet_inside();
  // Returns a descriptor that is readable while another try_drive is worthwhile. The scheduler closes it.
  Result<int> ready_descriptor();

  // How the cursors run ahead that open from now on. Of the runtime's threads, no more than it says run pumps
  // of this scheduler at once.
  void tune(RefPtr<const Tuning> tuning) noexcept;
  // A window opens that finds by itself how much it runs ahead, which may be nothing (exec/pace.h).
  void may_be_alone() noexcept;
  // One opens whose calls or feeds are said to wait.
  void expects_waiting() noexcept;
  // One opens that was given how many calls it makes at once: not here.
  void wants_threads() noexcept;
  // Whether it turned out so.
  bool found_alone() noexcept;
  // Nothing is made ahead just now, and a window has no use for more than one block.
  bool alone() const noexcept { return alone_.load(std::memory_order_relaxed); }
  // For a scheduler that serves a function of an iterator: its jobs count to the share of that one, and where
  // that one has a limit for threads, only those that wait here run pumps.
  void tune_inside(Scheduler& outer) noexcept;
  // Never null.
  RefPtr<const Tuning> tuning() noexcept;

  // How long threads have waited for elements, running pumps meanwhile or not.
  int64_t waited_ns() const { return waited_.ns(); }

  // Whether a window's rows are made on the thread that asks for them: where threads that wait make all of
  // them, and this one waits for as long as it takes. No thread outside polls and pumps does.
  bool makes_here() const noexcept {
    const SchedulerFrame* frame = SchedulerFrame::innermost();
    return alone() && frame && !frame->hurried();
  }
  // Does a part of what this thread was asked for, measures it as the run of a pump, and returns how long it
  // took.
  template <class Work>
  int64_t measure(Work&& work) {
    return run_measured(PollRef(work));
  }

  // Lists the driver, the sleepers and the ready pumps, to show why nothing runs.
  std::string describe();

  // True on a thread inside a poll or pump of any scheduler, say in a callback.
  static bool inside_any();
  // True on a thread inside a poll or pump of this scheduler.
  bool inside() const;

 private:
  friend class BlockingRead;
  friend class Pump;
  class LaneJob;
  class Measured;
  class Waiting;
  class Visit;

  class PollRef {
   public:
    template <class Poll>
    explicit PollRef(Poll& poll)
        : object_(const_cast<void*>(static_cast<const void*>(&poll))),
          call_([](void* object) {
            auto& call = *static_cast<std::remove_reference_t<Poll>*>(object);
            if constexpr (std::is_void_v<decltype(call())>) {
              call();
              return PullResult::end;
            } else {
              return call();
            }
          }),
          delivered_([](const void* object) {
            auto& call = *static_cast<const std::remove_reference_t<Poll>*>(object);
            if constexpr (requires { call.delivered(); }) {
              return call.delivered();
            } else {
              return int64_t{0};
            }
          }),
          after_pending_([](void* object) {
            auto& call = *static_cast<std::remove_reference_t<Poll>*>(object);
            if constexpr (requires { call.after_pending(); }) call.after_pending();
          }) {}
    PullResult operator()() const { return call_(object_); }
    // Called by a thread that does not wait for the whole element, once it has given up the right to drive.
    void after_pending() const { after_pending_(object_); }
    // How many elements there were in all; 0: not counted.
    // REQUIRES: this thread drives
    int64_t delivered() const { return delivered_(object_); }

   private:
    void* object_;
    PullResult (*call_)(void*);
    int64_t (*delivered_)(const void*);
    void (*after_pending_)(void*);
  };

  Result<PullResult> drive_in_line(PollRef poll, bool saves = false);
  PullResult drive_on(PollRef poll, uint64_t seen, bool saves = false);
  Result<PullResult> drive_once(PollRef poll);
  Result<PullResult> drive_until(PollRef poll, int64_t timeout_ns);
  bool lock_turn_within(Sleeper& sleeper, int64_t deadline);
  void park_until(Sleeper& sleeper, int64_t deadline);
  Status run_between(PollRef work);
  int64_t run_measured(PollRef work);
  void park_until_quiet();
  // Takes the right to drive if it is free; under the simulation waiting threads come first.
  bool try_lock_turn() { return sync_hooks() == nullptr && turn_.try_lock(); }
  // A thread may sleep although there is more to poll: raises one, which raises the next.
  void leave() {
    if (waiters_.any()) [[unlikely]]
      wake();
  }

  // Where the pace counts elements: this thread is given one, and still drives.
  void answered(const PollRef& poll) noexcept;
  void submit_ready() noexcept;
  void use_threads(MutexLock& lock) noexcept;
  void show_pace() noexcept;

  void notify(Pump& pump);
  void close(Pump& pump);
  void schedule(Pump& pump, WakingLock& lock, bool raise);
  bool admits_job(Lane lane) noexcept;
  void submit(Lane lane);
  void end_job() noexcept;
  RefPtr<Pump> claim(Lane lane);
  RefPtr<Pump> claim_any();
  void run_one(Lane lane);
  void execute(Pump& pump, bool helping);
  void count_run();
  void uncount_run();

  Executor& executor_;
  Clock* const clock_;
  WaitTime waited_;
  LaneShares shares_;
  // The right to drive: taken before the lock.
  QueuedMutex turn_;

  Mutex mutex_;
  ReadyList ready_[kLanes];
  PollWaiters waiters_;
  LaneJobs jobs_;
  Pace pace_;
  // This dataset has a window that wants threads.
  std::atomic<bool> wants_threads_{false};
  // Of pace_, for those who have no lock.
  std::atomic<bool> tunes_{false};
  std::atomic<bool> alone_{false};
  std::atomic<bool> compares_{false};
  RefPtr<const Tuning> tuning_;
  bool only_waiting_run() const { return jobs_.helpless() || pace_.alone(); }
  RunningPumps running_;
  const Shown<Scheduler> shown_{this};
};

// Adds its lifetime to waited_ns(): a thread waits for an element.
class Scheduler::Waiting {
 public:
  explicit Waiting(Scheduler& scheduler)
      : scheduler_(scheduler),
        slice_(scheduler.waited_.trace(), scheduler.clock_, "wait", "next"),
        begin_ns_(scheduler.clock_ ? scheduler.clock_->now_ns() : 0) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    if (!scheduler_.clock_) return;
    scheduler_.waited_.add(scheduler_.clock_->now_ns() - begin_ns_);
  }

 private:
  Scheduler& scheduler_;
  const TraceSlice slice_;
  const int64_t begin_ns_;
};

// A session with its own scheduler.
RefPtr<Session> make_session(Runtime& runtime);

}  // namespace weir
