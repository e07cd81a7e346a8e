// ShardPosition: which elements of a sequence a rank takes, also after the number of ranks has changed.
//
// The elements are numbered from 0, and of `size` ranks rank r takes those whose number modulo size is r. When the
// ranks go on as another number of ranks, they need not have come equally far: rank r has delivered its numbers below
// ends[r]. These ends make a layer, which drops what was delivered and numbers the rest from 0 again, for the new
// ranks. Should those change in number before everybody has passed the ends, the next layer goes on top.
//
// A step costs a few nanoseconds, and a division per layer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/status.h"
#include "core/world.h"

namespace weir {

class ShardPosition {
 public:
  // REQUIRES: 0 <= rank < size
  ShardPosition(int64_t rank, int64_t size) : rank_(rank), size_(size) {}

  // Steps over the next element. Returns whether this rank takes it.
  bool step();
  // At least how many elements come before this rank's next `count` ones, and with them; at most `limit`.
  int64_t steps_to(int64_t count, int64_t limit) const;

  // `rank` and `size` are not part of the state.
  void state(Archive& archive);

  // Where the ranks of `before` go on, rank r being number r of them; nothing stands for a rank that has delivered all
  // of its elements. REQUIRES: one of them is a position. data_loss if they do not belong together.
  static Result<ShardPosition> joined(std::span<const std::optional<ShardPosition>> before);
  // The least advanced of them. REQUIRES: one of them is a position
  static size_t least_advanced(std::span<const std::optional<ShardPosition>> ranks);

 private:
  void drop_passed_layers();
  bool is_before(const ShardPosition& other) const;

  int64_t rank_;
  int64_t size_;
  // Of each layer the ends of its ranks; the oldest first.
  std::vector<std::vector<int64_t>> layers_;
  // The number of the next element as each layer counts them, and, last, as the present ranks do.
  std::vector<int64_t> next_{0};
};

}  // namespace weir
