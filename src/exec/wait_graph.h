// WaitGraph: which iterators wait for which, because a callback of one calls next on another.
// Ownership: one a process; edges belong to the call that added them. Threads: any.
// Errors: failed_precondition for an edge that would close a circle. Cost: a lock and a walk over the edges;
// nothing for a call that does not come from inside another iterator.
#pragma once

#include <string>
#include <vector>

#include "core/pull.h"
#include "core/ref.h"
#include "core/status.h"

namespace weir {

// "`from` waits for `to`": the schedulers of two iterators. REQUIRES: remove_wait() with the same arguments once
// it waits no more.
Status add_wait(Waker* from, Waker* to);
void remove_wait(Waker* from, Waker* to);
// Those that `from` waits for, directly or through others.
std::vector<RefPtr<Waker>> awaited_by(Waker* from);
// All that wait, a line each.
std::string describe_waits();

}  // namespace weir
