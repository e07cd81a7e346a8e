// Which part of its input a shard takes: what shard and a rewrite of it have in common. Defined by shard's file.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/block.h"
#include "dataset/instance.h"
#include "dataset/shard_position.h"

namespace weir {

// At the beginning of the part that the parameters of a shard select; failed_precondition if this process's part is
// unknown.
// REQUIRES: they are those of a shard
Result<ShardPosition> begin_of_part(const Opening& opening, const ParamsBase& params);

// The rows of a block that are of this part: elements, and errors, which are no elements. Steps over the others.
class ShardRows {
 public:
  void choose(const Block& block, ShardPosition& position) noexcept;
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  std::span<const int32_t> rows() const { return {rows_.data(), static_cast<size_t>(count_)}; }

 private:
  std::array<int32_t, kMaxBlockRows> rows_;
  int count_ = 0;
};

}  // namespace weir
