#include "core/runtime.h"

#include "core/memo.h"

namespace weir {

Session::Session(Runtime& r, RefPtr<RefCounted> scheduler_owner, Scheduler* iterator_scheduler)
    : runtime(r),
      scheduler(iterator_scheduler),
      scheduler_owner_(std::move(scheduler_owner)),
      memo_(make_ref<Memo>()) {}

Session::Session(const Session& outer, RefPtr<RefCounted> scheduler_owner, Scheduler* iterator_scheduler)
    : runtime(outer.runtime),
      scheduler(iterator_scheduler),
      scheduler_owner_(std::move(scheduler_owner)),
      seeds_(outer.seeds_),
      memo_(outer.memo_),
      epoch_index_(outer.epoch_index_) {}

Session::~Session() = default;

SeedSite::Pair Session::seed(const SeedSite& site) const {
  for (const auto& [known, pair] : seeds_) {
    if (known == &site) return pair;
  }
  return site.drawn;
}

void Session::override_seed(const SeedSite& site, SeedSite::Pair pair) {
  for (auto& [known, kept] : seeds_) {
    if (known == &site) {
      kept = pair;
      return;
    }
  }
  seeds_.emplace_back(&site, pair);
}

}  // namespace weir
