// run_parts: a piece of work in parts, done by the calling thread and whoever of the compute lane is free. It waits for
// no thread that has not begun: parts that nobody else takes are done by the caller. Costs a job per helper, about 10 us.
#pragma once

#include <functional>

#include "exec/executor.h"

namespace weir {

// Calls part(0) … part(parts - 1), each once and up to `threads` at a time, and returns when all have been called.
// REQUIRES: `part` neither throws nor blocks; `parts` >= 0
void run_parts(Executor& executor, int threads, int parts, const std::function<void(int)>& part) noexcept;

}  // namespace weir
