// WaitGraph: which iterators wait for which, because a callback of one calls next on another, and which wait
// for callbacks that take one call at a time. There is one graph per process. A call that does not come from
// inside another iterator costs nothing.
#pragma once

#include <string>
#include <vector>

#include "core/pull.h"
#include "core/ref.h"
#include "core/status.h"

namespace weir {

// Records that `from` waits for `to`: schedulers of iterators, or turns (exec/host_turn.h). Returns false,
// and records nothing, if this would close a circle.
// REQUIRES: remove_wait() with the same arguments after the wait.
[[nodiscard]] bool add_wait(Waker* from, Waker* to);
void remove_wait(Waker* from, Waker* to);
// Those that `from` waits for, directly or through others.
std::vector<RefPtr<Waker>> awaited_by(Waker* from);
// Lists all that wait, one per line.
std::string describe_waits();

}  // namespace weir
