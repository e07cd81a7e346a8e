// ShardPosition: which elements of a sequence a rank takes, also after the number of ranks has changed.
//
// The elements are numbered from 0, and of `size` ranks rank r takes those whose number modulo size is r.
// When a job continues with another number of ranks, its ranks may have different progress: rank r has
// delivered its numbers below ends[r]. These ends form a layer, which drops the delivered elements and
// numbers the rest from 0 again, for the new ranks. If the number of ranks changes again before all have
// passed the ends, another layer is added.
//
// A single step costs a division, and one more per layer until its last end has been passed; many steps at
// once cost one division, and time for this rank's elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/pull.h"
#include "core/status.h"
#include "core/world.h"

namespace weir {

class ShardPosition {
 public:
  // REQUIRES: 0 <= rank < size
  ShardPosition(int64_t rank, int64_t size) : rank_(rank), size_(size) {}

  // Steps over the next element. Returns whether this rank takes it.
  bool step();
  // Steps over the next `count` elements and lists those that this rank takes, from 0. Returns how many these
  // are.
  // REQUIRES: room for `count` of them at `taken`
  int step_over(int count, int32_t* taken);
  // What to ask the input for, so that of its rows this rank takes those that are demanded, at most:
  // kMaxBlockRows at most.
  Demand wanted(Demand demand) const;

  // `rank` and `size` are not part of the state.
  void state(Archive& archive);

  // Where new ranks continue from the positions of the old ones, given by rank; one without a value has
  // delivered all of its elements. data_loss if they do not belong together.
  // REQUIRES: one of them has a value
  static Result<ShardPosition> joined(std::span<const std::optional<ShardPosition>> before);
  // The index of the least advanced rank.
  // REQUIRES: one of them has a value
  static size_t least_advanced(std::span<const std::optional<ShardPosition>> ranks);

 private:
  struct Layer {
    // By rank.
    std::vector<int64_t> ends;
    // The largest of them.
    int64_t last;

    explicit Layer(std::vector<int64_t> ends_of_ranks);
    bool operator==(const Layer&) const = default;
  };

  void drop_passed_layers();
  // How many elements come before this rank's next one, as the present ranks count them.
  int64_t before_next() const;
  int64_t steps_to(int64_t count) const;
  bool is_before(const ShardPosition& other) const;

  int64_t rank_;
  int64_t size_;
  // The oldest first.
  std::vector<Layer> layers_;
  // The number of the next element as each layer counts them, and, last, as the present ranks do.
  std::vector<int64_t> next_{0};
};

}  // namespace weir
