#include "dataset/traits.h"

#include <algorithm>

namespace weir {

namespace {

template <class T>
void add_missing(std::vector<T>& list, const std::vector<T>& more) {
  for (const T& item : more) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  }
}

}  // namespace

void Sites::add(const Sites& more) {
  add_missing(seeds, more.seeds);
  draws += more.draws;
  add_missing(names, more.names);
  finds_written = finds_written || more.finds_written;
  by_rank = by_rank || more.by_rank;
  if (parts == 0) parts = more.parts;
  if (counts_rank.empty()) counts_rank = more.counts_rank;
  add_missing(states, more.states);
  if (unsaved.empty()) unsaved = more.unsaved;
  if (calls.empty()) calls = more.calls;
  if (reopens.empty()) reopens = more.reopens;
}

}  // namespace weir
