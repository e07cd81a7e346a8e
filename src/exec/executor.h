// Executor: where jobs run. One lane computes, one may block, and threads without a job sleep.
// Ownership: the Runtime owns it; a queued job is shared with it until it ran or the executor went.
// Threads: any. Errors: submit says no, never throws; a job that nobody takes is not lost, because whoever
// waits for an iterator runs that iterator's pumps itself (exec/scheduler.h).
// Cost: a lock and, where a thread must be woken, a few microseconds.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/ref.h"

namespace weir {

enum class Lane : uint8_t {
  compute,   // must not block
  blocking,  // may wait for the outside: files, generators, blocking callbacks
  caller,    // runs only on threads inside next or try_next of its iterator; never submitted
};
inline constexpr int kLanes = 3;

class Job : public RefCounted {
 public:
  // REQUIRES of the implementation: nothing is thrown.
  virtual void run() noexcept = 0;
};

// Where one thread sleeps until another one says so. An unpark that comes first is remembered, one at most.
class Parker : public RefCounted {
 public:
  virtual void park() = 0;
  // Sleeps for at most that long. False if nobody said so in time.
  virtual bool park_for(int64_t ns) = 0;
  virtual void unpark() = 0;
};

// Forks since the first executor was made, counted in the children (exec/threads.h).
inline std::atomic<uint64_t> counted_forks{0};

class Executor {
 public:
  virtual ~Executor() = default;

  // False: it will never run the job (no thread could be started, or this is a child after fork).
  // REQUIRES: lane is not Lane::caller
  virtual bool submit(Lane lane, RefPtr<Job> job) noexcept = 0;
  // How many jobs of the compute lane may run at once, helping threads included; at least 1.
  virtual int parallelism() const noexcept = 0;
  // Null if there is no memory for one.
  virtual RefPtr<Parker> make_parker() noexcept = 0;
  // False in a child after fork: threads and locks were left behind, so nothing of its may be used.
  bool alive() const noexcept { return forks_ == counted_forks.load(std::memory_order_relaxed); }

 protected:
  // Forks before it was made.
  const uint64_t forks_ = counted_forks.load(std::memory_order_relaxed);
};

}  // namespace weir
