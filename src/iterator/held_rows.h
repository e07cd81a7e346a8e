// HeldRows: rows that were pulled from the root and not delivered yet, in order. A checkpoint stores them by
// value. Only the driver may use it.
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
  // Puts rows [begin, …) of a block before those that it has.
  void hold(const Block& block, int begin);
  // Takes a whole block and needs no memory.
  // REQUIRES: empty()
  void hold(Block&& block) noexcept;
  // Moves out the first rows: up to `limit` and up to the next failed one, or a failed one alone. If there is
  // no memory for that, the first is an error.
  void take(int limit, Block& out) noexcept;

  // Loading checks that the rows are values of that structure, and refuses nested datasets; data_loss if not.
  // REQUIRES of saving: no component is a nested dataset
  void state(Archive& archive, const Spec& spec);

 private:
  void row_state(Archive& archive, const Spec& spec, const std::vector<Component>& components, int row);

  Block block_;
  int begin_ = 0;
};

}  // namespace weir
