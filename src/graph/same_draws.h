// Seeds that a text leaves open, when its graph is built again: from bytes, or with $params. The new graph
// gets the draws of the first one.
//
// A build draws in its own order, also for nodes that it discards. So the graph is built twice: once to see
// which draw each seed gets, and once with the right draws.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/runtime.h"
#include "dataset/traits.h"

namespace weir {

using SeedPairs = std::vector<SeedSite::Pair>;

// The pairs of the seeds that the text leaves open, in the order of Sites::seeds, as many for all graphs of
// one text. Those that are not used have (0, 0).
SeedPairs drawn_seeds(const Sites& sites);
// Whether nothing depends on a seed that the text leaves open: it is (0, 0), which no text gives. It has a
// site all the same, since positions and graphs of earlier versions have a pair for it.
bool is_unused(const SeedSite& site);
// Whether any was drawn.
bool draws_seeds(const Sites& sites);

// Draws the numbers from `first` on, but those that are wanted where they are.
class WantedDraws final : public RandomSource {
 public:
  explicit WantedDraws(uint64_t first) : first_(first) {}
  uint64_t draw() override;
  // What to draw instead, so that seeds that got `found` from here get `wanted`.
  // REQUIRES: as many of both
  void want(const SeedPairs& found, const SeedPairs& wanted);

 private:
  const uint64_t first_;
  uint64_t count_ = 0;
  // By the number of the draw.
  std::map<uint64_t, uint64_t> wanted_;
};

// What build(runtime) gives, a Result, with these pairs for the seeds that it draws, unless it draws another
// number of them. `sites_of(value)` are its sites.
template <class Build, class SitesOf>
auto build_with_draws(Runtime& runtime, const SeedPairs& pairs, Build build, SitesOf sites_of)
    -> decltype(build(std::declval<Runtime&>())) {
  if (pairs.empty()) return build(runtime);
  Runtime same = runtime;
  WantedDraws draws(runtime.random != nullptr ? runtime.random->draw() : 0);
  same.random = &draws;
  auto first = build(same);
  if (!first.ok()) return first;
  const SeedPairs found = drawn_seeds(sites_of(*first));
  if (found.size() != pairs.size()) return first;
  draws.want(found, pairs);
  return build(same);
}

}  // namespace weir
