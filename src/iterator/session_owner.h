// SessionOwner: what a session keeps alive for its pumps: the crew, and whatever keeps the runtime.
// Ownership: shares both. Threads: immutable. Errors: none. Cost: none.
#pragma once

#include "core/ref.h"
#include "exec/crew.h"

namespace weir {

class SessionOwner final : public RefCounted {
 public:
  SessionOwner(RefPtr<RefCounted> o, RefPtr<Crew> c) : owner(std::move(o)), crew(std::move(c)) {}
  // Goes after the crew.
  const RefPtr<RefCounted> owner;
  const RefPtr<Crew> crew;
};

}  // namespace weir
