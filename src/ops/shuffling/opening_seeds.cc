#include "ops/shuffling/opening_seeds.h"

#include "core/philox.h"

namespace weir {

OpeningSeeds seeds_of(Opening& opening, const SeedParam& seed, bool each_anew, bool counts) {
  Opened opened;
  if (counts) {
    opened = count_opening(opening.ctx, *opening.node);
  } else {
    const EpochScope::Home home = opening.ctx.epochs->home(opening.node->depth());
    opened = {0, home.key, home.borrowed};
  }
  SeedSite::Pair seeds = {static_cast<uint64_t>(seed.first), static_cast<uint64_t>(seed.second)};
  if (seed.site) seeds = opening.ctx.session.seed(*seed.site);
  const bool drawn = seed.site && seed.site->origin == SeedSite::Origin::drawn;
  const bool borrowed = opened.borrowed && each_anew;
  if (opened.scope_key != 0 && (drawn || borrowed)) {
    seeds = {derive_key(opened.scope_key, seeds.first), derive_key(opened.scope_key, seeds.second)};
  }
  return {opened.number, each_anew ? epoch_seeds(seeds, opened.number) : seeds, seeds};
}

}  // namespace weir
