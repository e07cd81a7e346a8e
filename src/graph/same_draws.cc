#include "graph/same_draws.h"

#include <algorithm>

namespace weir {

bool is_unused(const SeedSite& site) {
  return site.origin == SeedSite::Origin::given && site.drawn == SeedSite::Pair();
}

SeedPairs drawn_seeds(const Sites& sites) {
  SeedPairs pairs;
  for (const RefPtr<const SeedSite>& site : sites.seeds) {
    if (site->origin == SeedSite::Origin::drawn || is_unused(*site)) pairs.push_back(site->drawn);
  }
  return pairs;
}

bool draws_seeds(const Sites& sites) {
  return std::any_of(sites.seeds.begin(), sites.seeds.end(), [](const RefPtr<const SeedSite>& site) {
    return site->origin == SeedSite::Origin::drawn;
  });
}

uint64_t WantedDraws::draw() {
  const uint64_t number = count_++;
  const auto wanted = wanted_.find(number);
  return wanted == wanted_.end() ? first_ + number : wanted->second;
}

void WantedDraws::want(const SeedPairs& found, const SeedPairs& wanted) {
  for (size_t i = 0; i < found.size(); ++i) {
    const uint64_t number = found[i].first - first_;
    // Others belong to a dataset that was there before.
    if (number >= count_ || found[i].second != found[i].first + 1) continue;
    wanted_[number] = wanted[i].first;
    wanted_[number + 1] = wanted[i].second;
  }
  count_ = 0;
}

}  // namespace weir
