// The warning of caches whose passes stop early: such a cache never fills, and each pass reads its input
// again.
#pragma once

#include <string_view>

#include "core/memo.h"
#include "core/runtime.h"
#include "core/text.h"

namespace weir {

// Called when a pass begins to fill the cache that `cache` tells from others; says once if a pass before
// stopped early (CacheStore::stopped_early). `what` is the cache's name in the log.
inline void warn_if_stopped(Context& ctx, uint64_t cache, std::string_view what) {
  if (!ctx.session.memo().caches().should_warn(cache)) return;
  if (Logger* logger = ctx.runtime().logger) {
    logger->log(
        Logger::Level::warning,
        concat(what,
               ": reads its input again: an earlier pass stopped before the end of the input, so nothing was "
               "kept; let one pass reach the end, and put take() before the cache, not after it"));
  }
}

}  // namespace weir
