// Pump: a piece of work that is woken, runs for a while on some thread of its lane and never waits.
//
// States: idle -> scheduled -> running -> idle, and running -> notified when a wake comes during a run.
// A closed pump is never run again. All transitions happen under the lock of the pump's Scheduler.
//
// Invariants:
//  1. At most one thread is inside run(), and everything a run wrote is seen by the next one.
//  2. A pump is in its scheduler's ready list exactly while it is scheduled. The list owns a reference.
//  3. A wake is never lost: one that comes while idle schedules; while scheduled a run is still to come;
//     while running it makes the state notified, and that run is followed by another one.
//  4. release() is called exactly once, after the last run() has returned: by close() if the pump is idle or
//     scheduled, else by the thread that runs it, on its way out. No thread waits for that.
//  5. A job in an executor's queue names a scheduler and a lane, never a pump: once pumps have been claimed by
//     helping threads or closed, it finds nothing to do.
//  6. No lock is held while run() or release() are called.
//
// Ownership: shared; what a pump works with it lets go in release(). Threads: wake and close from any.
// Errors: run() must not throw. Cost: a lock for a wake, one for a claim, one for the end of a run.
#pragma once

#include <cstdint>

#include "core/pull.h"
#include "core/ref.h"
#include "core/runtime.h"
#include "exec/executor.h"

namespace weir {

class Pump : public Waker {
 public:
  Pump(Session& session, Lane lane) : session_(&session), lane_(lane) {}

  void wake() final;
  // No run begins after this; the second time it does nothing.
  void close();
  Session& session() const { return *session_; }
  Lane lane() const { return lane_; }

 protected:
  enum class After : uint8_t {
    rest,   // until the next wake
    again,  // there is more to do; others may go first
  };
  // `helping` is set on a thread that waits for this iterator: it does one pull's worth and returns.
  virtual After run(bool helping) noexcept = 0;
  virtual void release() noexcept = 0;

 private:
  friend class Scheduler;
  friend class ReadyList;
  enum class State : uint8_t { idle, scheduled, running, notified, closing, closed };

  const RefPtr<Session> session_;
  const Lane lane_;
  State state_ = State::idle;
  Pump* previous_ = nullptr;
  Pump* next_ = nullptr;
};

}  // namespace weir
