#include "ops/batching/bin_rooms.h"

#include <algorithm>

namespace weir {

template <class Has>
int64_t BinRooms::descend(const Has& has) const {
  const size_t leaves = tree_.size() / 2;
  if (leaves == 0 || !has(tree_[1])) return kNone;
  size_t node = 1;
  while (node < leaves) {
    node *= 2;
    if (!has(tree_[node])) ++node;
  }
  return static_cast<int64_t>(node - leaves);
}

int64_t BinRooms::find(int64_t size) const {
  if (into_ == PackInto::first) return descend([size](const Range& range) { return range.most >= size; });
  const auto found = by_room_.lower_bound({size, 0});
  return found == by_room_.end() ? kNone : found->second;
}

int64_t BinRooms::fullest() const {
  if (into_ == PackInto::best) return by_room_.begin()->second;
  const int64_t least = tree_[1].least;
  return descend([least](const Range& range) { return range.least == least; });
}

void BinRooms::add(int64_t room) {
  const size_t bin = rooms_.size();
  rooms_.push_back(room);
  try {
    if (into_ == PackInto::best) {
      by_room_.emplace(room, static_cast<int64_t>(bin));
    } else if (bin >= tree_.size() / 2) {
      std::vector<Range> wider(std::max<size_t>(4 * bin, 16));
      tree_.swap(wider);
      for (size_t i = 0; i <= bin; ++i) set_in_tree(i, rooms_[i]);
    } else {
      set_in_tree(bin, room);
    }
  } catch (...) {
    rooms_.pop_back();
    throw;
  }
}

void BinRooms::set(int64_t bin, int64_t room) noexcept {
  const auto at = static_cast<size_t>(bin);
  if (into_ == PackInto::first) {
    set_in_tree(at, room);
  } else if (auto entry = by_room_.extract({rooms_[at], bin}); room > 0) {
    entry.value().first = room;
    by_room_.insert(std::move(entry));
  }
  rooms_[at] = room;
}

void BinRooms::set_in_tree(size_t bin, int64_t room) noexcept {
  size_t node = tree_.size() / 2 + bin;
  tree_[node] = range_of(room);
  while (node > 1) {
    node /= 2;
    const Range& left = tree_[2 * node];
    const Range& right = tree_[2 * node + 1];
    tree_[node] = {std::min(left.least, right.least), std::max(left.most, right.most)};
  }
}

}  // namespace weir
