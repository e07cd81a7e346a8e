// Executor: where jobs run, and what the iterators of a runtime share. One lane computes, one may block, and
// threads without a job sleep.
//
// The Runtime owns it and shares a queued job with it until the job has run or the executor is gone. May be
// used on any thread. A job that no thread takes is not lost, because a thread that waits for an iterator
// runs that iterator's pumps itself (exec/scheduler.h).
//
// The threads of a lane are shared fairly (exec/fair_queue.h): one that becomes free takes a job of the share
// that has the fewest at work.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/pull.h"
#include "core/ref.h"

namespace weir {

enum class Lane : uint8_t {
  compute,   // must not block
  blocking,  // may wait for the outside: files, generators, blocking callbacks
  caller,    // runs only on threads inside next or try_next of its iterator; never submitted
};
inline constexpr int kLanes = 3;

class DroppedJobs;
class FairQueue;
class JobShare;
class MemoryLedger;

class Job : public RefCounted {
 public:
  // The share that it counts to, which must live as long as the job; null: that of all jobs without one.
  explicit Job(JobShare* share = nullptr) : share_(share) {}
  // REQUIRES of the implementation: does not throw.
  virtual void run() noexcept = 0;

 private:
  friend class FairQueue;
  friend class DroppedJobs;
  friend class JobShare;
  JobShare* share_;
  // The next one of its share that waits.
  Job* next_ = nullptr;
};

// Where one thread sleeps until another wakes it. An unpark that comes first is remembered, at most one.
class Parker : public Waker {
 public:
  void wake() final { unpark(); }
  virtual void park() = 0;
  // Sleeps for at most that long. False if no unpark came in time.
  virtual bool park_for(int64_t ns) = 0;
  virtual void unpark() = 0;
};

// Forks since the first executor was made, counted in the children (exec/threads.h).
inline std::atomic<uint64_t> counted_forks{0};

class Executor {
 public:
  virtual ~Executor() = default;

  // Returns false if it will never run the job: no thread could be started, or this is a child after fork.
  // REQUIRES: lane is not Lane::caller, and the job does not wait for a thread already
  virtual bool submit(Lane lane, RefPtr<Job> job) noexcept = 0;
  // How many jobs of the compute lane may run at once, helping threads included; at least 1.
  virtual int parallelism() const noexcept = 0;
  // The same for the blocking lane.
  virtual int blocking_parallelism() const noexcept { return parallelism(); }
  // What the windows of all iterators may hold; null: no limit.
  virtual MemoryLedger* memory() const noexcept { return nullptr; }
  // Returns null if there is no memory for one.
  virtual RefPtr<Parker> make_parker() noexcept = 0;
  // False in a child after fork: its threads and locks stayed in the parent, so it must not be used.
  bool alive() const noexcept { return forks_ == counted_forks.load(std::memory_order_relaxed); }

 protected:
  // The number of forks before it was made.
  const uint64_t forks_ = counted_forks.load(std::memory_order_relaxed);
};

}  // namespace weir
