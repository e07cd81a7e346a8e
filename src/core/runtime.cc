#include "core/runtime.h"

namespace weir {

Session::Session(Runtime& r, RefPtr<RefCounted> crew_owner, Crew* iterator_crew)
    : runtime(r), crew(iterator_crew), crew_owner_(std::move(crew_owner)) {}

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
