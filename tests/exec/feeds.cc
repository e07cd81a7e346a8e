#include "exec/feeds.h"

#include <chrono>

namespace weir {

int64_t SteadyClock::now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace weir
