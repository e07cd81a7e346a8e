// Pump: a piece of work that is woken, runs for a while on some thread of its lane and never waits.
//
// States: idle -> scheduled -> running -> idle, and running -> notified when a wake comes during a run.
// A closed pump is never run again. All transitions happen under the lock of the pump's Scheduler.
//
// Invariants:
//   1. At most one thread is inside run(), and everything a run wrote is seen by the next one.
//   2. A pump is in its scheduler's ready list exactly while it is scheduled. The list owns a reference.
//   3. A wake is never lost: while idle it schedules; while scheduled it precedes a run; while running it
//   makes
//      the state notified, and another run follows.
//   4. release() is called exactly once, after the last run() has returned: by close() if the pump is idle or
//      scheduled, else by the thread that runs it, on its way out. No thread waits for this.
//   5. A job in an executor's queue names a scheduler and a lane, never a pump: if helping threads have
//      claimed the pumps, or the pumps are closed, it finds nothing to do.
//   6. No lock is held while run() or release() are called.
//
// A pump is shared; run() must not throw, and release() drops what it works with. wake and close may be
// called on any thread. A wake, a claim and the end of a run take a lock each.
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
  // No run begins after this. Closing twice does nothing.
  void close();
  Session& session() const { return *session_; }
  Lane lane() const { return lane_; }

 protected:
  // One with more to do lets others go first after this long.
  static constexpr int64_t kSliceNs = 1'000'000;
  enum class After : uint8_t {
    rest,   // until the next wake
    again,  // there is more to do; others may go first
  };
  // `helping` is set on a thread that waits for this iterator: do one pull's worth and return.
  virtual After run(bool helping) noexcept = 0;
  virtual void release() noexcept = 0;

 private:
  friend class Scheduler;
  friend class ReadyList;
  enum class State : uint8_t { idle, scheduled, running, notified, closing, closed };

  const RefPtr<Session> session_;
  const Lane lane_;
  State state_ = State::idle;
  // It is measured how long the next run computes.
  bool watched_ = false;
  Pump* previous_ = nullptr;
  Pump* next_ = nullptr;
};

}  // namespace weir
