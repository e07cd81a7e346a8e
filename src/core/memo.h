// Memo: values that an iterator computes once, however often they are used.
//
// Shared by an iterator's Session and the sessions inside it. May be used on any thread; if two threads
// compute a value at once, the first to keep it wins. A look-up takes a lock and a search among the
// document's few values.
//
// It also leads to what the memory caches have made, which all iterators of a document may share.
#pragma once

#include <deque>
#include <utility>

#include "core/cache_store.h"
#include "core/ref.h"
#include "core/sync.h"
#include "core/value.h"

namespace weir {

class Memo : public RefCounted {
 public:
  // Returns null if nothing is kept for the key. The value lives as long as the Memo.
  const Components* find(const void* key) const;
  // Keeps `value` for the key unless there is one already, and returns what is kept.
  const Components& keep(const void* key, Components value);

  CacheStore& caches() const { return *caches_; }
  // REQUIRES: before the first cursor opens
  void share_caches(RefPtr<CacheStore> caches) { caches_ = std::move(caches); }

 private:
  const Components* find_locked(const void* key) const;

  RefPtr<CacheStore> caches_ = make_ref<CacheStore>();
  mutable Mutex mutex_;
  // A deque, so that values stay where they are.
  std::deque<std::pair<const void*, Components>> values_;
};

}  // namespace weir
