// Memo: values that are computed once an iterator, however often they are used.
// Ownership: shared by an iterator's Session and those inside it; values live as long as the Memo.
// Threads: any; of two that compute one value at once, the first to keep it wins. Errors: std::bad_alloc.
// Cost: a lock and a search among the values, of which a document has few.
#pragma once

#include <deque>
#include <utility>

#include "core/ref.h"
#include "core/sync.h"
#include "core/value.h"

namespace weir {

class Memo : public RefCounted {
 public:
  // Null if nothing is kept for the key.
  const Components* find(const void* key) const;
  // What is kept for the key from now on: `value`, or what was there before.
  const Components& keep(const void* key, Components value);

 private:
  const Components* find_locked(const void* key) const;

  mutable Mutex mutex_;
  // A deque, so that values stay where they are.
  std::deque<std::pair<const void*, Components>> values_;
};

}  // namespace weir
