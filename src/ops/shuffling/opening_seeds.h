// seeds_of: the pair of seeds that one opening of an operator draws from: shuffle, random and
// sample_from_datasets.
#pragma once

#include "dataset/instance.h"
#include "dataset/openings.h"

namespace weir {

struct OpeningSeeds {
  // The number of the opening, from 0; 0 where it is not counted.
  uint64_t number;
  SeedSite::Pair seeds;
  // Those that the pairs of all openings come from.
  SeedSite::Pair base;
};

// With `each_anew`, the k-th opening takes the k-th pair of the operator's seeds. An order without a seed, or
// in which no epoch of the iterator is counted, belongs to the call of the lambda that it was opened in.
// REQUIRES: `each_anew` is what the operator's OperatorDef::counts_openings says, or `counts` is true.
OpeningSeeds seeds_of(Opening& opening, const SeedParam& seed, bool each_anew, bool counts);

// Whether a buffer of this size may give another order: all but one that is known to be of one element.
inline bool may_reorder(const IntParam& buffer_size) {
  return !buffer_size.is_constant() || *buffer_size != 1;
}

}  // namespace weir
