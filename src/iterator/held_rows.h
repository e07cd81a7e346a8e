// HeldRows: rows that were pulled from the root and not delivered yet, in order; a checkpoint has them by
// value. Ownership: owns its block. Threads: the driver's. Errors: data_loss from loading. Cost: nothing
// while empty; saving copies the rows.
#pragma once

#include "core/archive.h"
#include "core/block.h"
#include "core/spec.h"

namespace weir {

// A checkpoint with more is refused.
inline constexpr int64_t kMaxHeldRows = 64 * kMaxBlockRows;

class HeldRows {
 public:
  bool empty() const { return begin_ == block_.rows; }
  // Takes rows [begin, …) of a block; they come before those that it has.
  void hold(const Block& block, int begin);
  // Takes a whole block and needs no memory. REQUIRES: empty()
  void hold(Block&& block) noexcept;
  // Moves out the first rows: up to `limit`, as many as stand before a failed one, or the failed one alone.
  // Where there is no memory for that, the first is an error.
  void take(int limit, Block& out) noexcept;

  // Loading checks that the rows are values of that structure, and refuses any with nested datasets.
  // REQUIRES of saving: no component is a nested dataset
  void state(Archive& archive, const Spec& spec);

 private:
  void row_state(Archive& archive, const Spec& spec, const std::vector<Component>& components, int row);

  Block block_;
  int begin_ = 0;
};

}  // namespace weir
