// run_parts: runs parts of work on the calling thread and on free threads of the compute lane. It never waits
// for a thread that has not begun: the caller runs the remaining parts itself. Costs a job per helper, about
// 10 us.
#pragma once

#include <functional>

#include "exec/executor.h"

namespace weir {

// Calls part(0) … part(parts - 1), each once and up to `threads` at a time, and returns when all have been
// called.
// REQUIRES: `part` neither throws nor blocks; `parts` >= 0
void run_parts(Executor& executor, int threads, int parts, const std::function<void(int)>& part) noexcept;

}  // namespace weir
