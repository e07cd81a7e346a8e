// CacheStore: what the caches at the root of a graph have made, for one iterator or for all that share it.
//
//   CacheStore::Made made = store.made(node);       // rows: null if no pass has filled the cache
//   store.keep(node, {pass, rows, mixtures});       // a pass has reached its end
//
// Rows stay as long as the store; the first ones stay. A cache that is told that a pass stopped early can say
// so when the next one reads its input again. May be used on any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/origins.h"
#include "core/ref.h"
#include "core/sync.h"

namespace weir {

class CacheStore : public RefCounted {
 public:
  struct Made {
    // The number of the pass that made them.
    uint64_t making = 0;
    RefPtr<const RefCounted> rows;
    // The mixtures that the pass read, as Mixtures writes them.
    std::string mixtures;
  };

  // True for the first caller, and for later ones with the same values. Parameters and rank decide the
  // elements of a pass.
  bool is_for(std::string_view values);

  // `node` is the number of the cache in its graph (EpochIndex).
  Made made(uint64_t node) const;
  void keep(uint64_t node, Made made);

  // A pass over the input of `cache` ended before the input did; `cache` is any number that tells it from
  // others.
  void stopped_early(uint64_t cache) noexcept;
  // True once for each cache of which a pass has stopped early.
  bool should_warn(uint64_t cache) noexcept;

  // The files that the origins of the rows refer to.
  const RefPtr<SourceNames> source_names = make_ref<SourceNames>();

 private:
  enum class Stopped : uint8_t { yes, said };

  mutable Mutex mutex_;
  bool owned_ = false;
  std::string values_;
  std::map<uint64_t, Made> made_;
  std::map<uint64_t, Stopped> stopped_;
};

}  // namespace weir
