#include "core/cache_store.h"

namespace weir {

bool CacheStore::is_for(std::string_view values) {
  MutexLock lock(mutex_);
  if (!std::exchange(owned_, true)) values_ = values;
  return values_ == values;
}

CacheStore::Made CacheStore::made(uint64_t node) const {
  MutexLock lock(mutex_);
  const auto found = made_.find(node);
  return found == made_.end() ? Made() : found->second;
}

void CacheStore::keep(uint64_t node, Made made) {
  MutexLock lock(mutex_);
  made_.try_emplace(node, std::move(made));
}

void CacheStore::stopped_early(uint64_t cache) noexcept {
  try {
    MutexLock lock(mutex_);
    stopped_.try_emplace(cache, Stopped::yes);
  } catch (...) {
  }
}

bool CacheStore::should_warn(uint64_t cache) noexcept {
  MutexLock lock(mutex_);
  const auto found = stopped_.find(cache);
  return found != stopped_.end() && std::exchange(found->second, Stopped::said) == Stopped::yes;
}

}  // namespace weir
