// BinRooms: how much room is left in each of the bins that are open, and which of them a sequence goes into.
//
// Bins are numbered in the order of their opening, and of equals the first one counts. Cost: O(log bins) for
// each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace weir {

enum class PackInto : uint8_t { first, best };

class BinRooms {
 public:
  static constexpr int64_t kNone = -1;

  explicit BinRooms(PackInto into) : into_(into) {}

  // The bin for a sequence of `size`: the first with that room, or the one with the least room beyond it.
  // kNone if there is none.
  int64_t find(int64_t size) const;
  // The bin with the least room.
  // REQUIRES: a bin is open
  int64_t fullest() const;
  // Opens a bin after all others.
  // REQUIRES: room > 0
  void add(int64_t room);
  // A bin has this room now; 0 closes it.
  // REQUIRES: it is open
  void set(int64_t bin, int64_t room) noexcept;

 private:
  // Of the bins below a node. One that is closed has no room, and is never the fullest.
  struct Range {
    int64_t least = INT64_MAX;
    int64_t most = 0;
  };
  static Range range_of(int64_t room) { return room > 0 ? Range{room, room} : Range{}; }
  void set_in_tree(size_t bin, int64_t room) noexcept;
  // The first bin at which every node on the way down has what `has` asks for.
  template <class Has>
  int64_t descend(const Has& has) const;

  PackInto into_;
  std::vector<int64_t> rooms_;
  // first: a complete binary tree over the bins, node i above 2i and 2i + 1.
  std::vector<Range> tree_;
  // best: (room, bin) of those that are open.
  std::set<std::pair<int64_t, int64_t>> by_room_;
};

}  // namespace weir
