// HeldRows: rows that were made and not delivered yet, in order, which a checkpoint stores by value: those
// pulled from an iterator's root, and those of inputs whose rows cannot be made again (dataset/holding.h).
// Only the driver may use it.
#pragma once

#include <cstdint>
#include <list>
#include <span>

#include "core/archive.h"
#include "core/block.h"
#include "core/spec.h"

namespace weir {

class HeldRows {
 public:
  // The bytes of a saved row without its entries, and of each component without its entries and dimensions.
  static constexpr int64_t kRowBytes = 9;
  static constexpr int64_t kComponentBytes = 17;

  bool empty() const { return rows_ == 0; }
  int64_t rows() const { return rows_; }
  // Those that count as elements (dataset/counted.h).
  int64_t values() const;
  // Puts rows [begin, …) of a block before those that it has.
  void hold(const Block& block, int begin);
  // Takes a whole block and needs no memory.
  // REQUIRES: empty()
  void hold(Block&& block) noexcept;
  // Puts rows after those that it has.
  void add(Block block);
  void add(HeldRows rows);
  // Calls visit(block) for the blocks that they are in.
  template <class F>
  void each_block(F&& visit) const {
    if (empty()) return;
    visit(front_);
    for (const Block& block : more_) visit(block);
  }
  // Drops the first `count` rows.
  // REQUIRES: count <= rows()
  void drop(int64_t count);
  // Moves out the first rows: up to `limit` and up to the next failed one, or a failed one alone. If there is
  // no memory for that, the first is an error.
  void take(int limit, Block& out) noexcept;

  // Loading checks that the rows are values of that structure, and refuses nested datasets; data_loss if not.
  // REQUIRES of saving: no component is a nested dataset, and no block lacks its columns
  void state(Archive& archive, const Spec& spec);

 private:
  void next_block() noexcept;
  void save_row(Archive& archive, const Block& block, int row) const;
  void load_row(Archive& archive, const Spec& spec, std::span<const Component> components);

  // Its rows before begin_ have gone.
  Block front_;
  int begin_ = 0;
  // Empty without an allocation, as a deque is not.
  std::list<Block> more_;
  int64_t rows_ = 0;
};

}  // namespace weir
