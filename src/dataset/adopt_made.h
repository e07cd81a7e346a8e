// adopt_made: an iterator begins with what the memory caches of its graph have made for others.
#pragma once

#include <span>
#include <string_view>

#include "core/cache_store.h"
#include "core/epochs.h"
#include "core/mixtures.h"

namespace weir {

// What is kept for a node counts as made, under the number of the pass that made it. `root` is the scope of
// the new iterator, whose other counts stay; `mixtures` gets those that the passes read. False if the caches
// are for other `values` (CacheStore::is_for).
bool adopt_made(CacheStore& caches, std::string_view values, std::span<const EpochNode> nodes,
                EpochScope& root, Mixtures& mixtures);

}  // namespace weir
