// SessionOwner: what a session keeps alive for its pumps: the scheduler, and whatever keeps the runtime.
#pragma once

#include "core/ref.h"
#include "exec/scheduler.h"

namespace weir {

class SessionOwner final : public RefCounted {
 public:
  SessionOwner(RefPtr<RefCounted> o, RefPtr<Scheduler> c) : owner(std::move(o)), scheduler(std::move(c)) {}
  // Destroyed after the scheduler.
  const RefPtr<RefCounted> owner;
  const RefPtr<Scheduler> scheduler;
};

}  // namespace weir
