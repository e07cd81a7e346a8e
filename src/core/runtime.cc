#include "core/runtime.h"

#include "core/failed_reads.h"
#include "core/memo.h"
#include "core/mixtures.h"
#include "core/origins.h"
#include "core/stage_stats.h"

namespace weir {

Session::Session(Runtime& r, RefPtr<RefCounted> scheduler_owner, Scheduler* iterator_scheduler)
    : runtime(r),
      scheduler(iterator_scheduler),
      scheduler_owner_(std::move(scheduler_owner)),
      memo_(make_ref<Memo>()),
      source_names_(make_ref<SourceNames>()),
      failed_reads_(make_ref<FailedReads>()),
      mixtures_(make_ref<Mixtures>()),
      world_(r.world) {}

Session::Session(const Session& outer, RefPtr<RefCounted> scheduler_owner, Scheduler* iterator_scheduler)
    : runtime(outer.runtime),
      scheduler(iterator_scheduler),
      scheduler_owner_(std::move(scheduler_owner)),
      seeds_(outer.seeds_),
      memo_(outer.memo_),
      source_names_(outer.source_names_),
      failed_reads_(outer.failed_reads_),
      mixtures_(outer.mixtures_),
      files_(outer.files_),
      pool_(outer.pool_),
      world_(outer.world_),
      epoch_index_(outer.epoch_index_) {}

Session::~Session() = default;

void Session::use_source_names(RefPtr<SourceNames> names) { source_names_ = std::move(names); }

void Session::note_parts(std::shared_ptr<const PartPositions> noted) {
  MutexLock lock(parts_mutex_);
  noted_parts_ = std::move(noted);
}

std::shared_ptr<const PartPositions> Session::known_parts() const {
  MutexLock lock(parts_mutex_);
  return noted_parts_ ? noted_parts_ : part_positions_;
}

void Session::keep_stats(RefPtr<StatsTree> stats) { stats_ = std::move(stats); }

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
