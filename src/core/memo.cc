#include "core/memo.h"

namespace weir {

const Components* Memo::find_locked(const void* key) const {
  for (const auto& [known, value] : values_) {
    if (known == key) return &value;
  }
  return nullptr;
}

const Components* Memo::find(const void* key) const {
  MutexLock lock(mutex_);
  return find_locked(key);
}

const Components& Memo::keep(const void* key, Components value) {
  MutexLock lock(mutex_);
  if (const Components* known = find_locked(key)) return *known;
  return values_.emplace_back(key, std::move(value)).second;
}

}  // namespace weir
