// PartialBlock: a block that is given out piece by piece, and GuardedFeed, which fills one. Pieces of
// some size share the block's buffers; a whole block is swapped. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/stage_stats.h"
#include "exec/feed.h"

namespace weir {

struct PartialBlock {
  Block block;
  Mark mark;
  int64_t bytes = 0;
  // The first row that has not been given out.
  int next_row = 0;
  // There was no memory for the rows nor for their errors: each is out of memory, and given out by itself.
  bool rows_lost = false;

  bool exhausted() const { return next_row >= block.rows; }
  // How many rows are left if all of them are elements, else 0.
  int64_t elements_left() const {
    return exhausted() || rows_lost || !block.errors.empty() ? 0 : block.rows - next_row;
  }
  // There is no memory to say which of so many rows failed, so all did.
  void lose_rows(int rows) noexcept {
    rows_lost = true;
    block.reset(0);
    block.rows = rows;
  }
  // True if take_rows() would give all of it at once.
  bool whole(const Demand& demand) const;
  // Fills `out` and `at` with the next rows; if there is no memory for a piece of them, its first row is an
  // error.
  // REQUIRES: !exhausted()
  void take_rows(const Demand& demand, Block& out, Mark& at) noexcept;
  // Adds the rows that were not given out.
  void copy_rest(std::vector<Block>& out) const;
  // Drops the rows, and their memory if that is more: an idle place must not keep a second batch alive.
  void recycle(int64_t kept_bytes = int64_t{64} << 10);
};

// A feed whose rows a window pulls, with its count of openings, and when to measure it. It must not throw; if
// it does, that becomes one error row, and the end.
class GuardedFeed {
 public:
  GuardedFeed() = default;
  GuardedFeed(std::unique_ptr<Feed> feed, EpochTableRef start)
      : feed_(std::move(feed)), epochs_(std::move(start)) {}

  // `stats` may be null.
  PullResult pull(Session& session, Waker* waker, StageStats* stats, Drain& drain, const Demand& demand,
                  Block& out, Mark& mark) noexcept;
  // For a consumer that pulls by itself.
  PullResult pull_inline(const Context& consumer, const Demand& demand, Block& out, Mark& mark) noexcept;
  const EpochScope& epochs() const { return epochs_; }
  void drop() noexcept { feed_ = nullptr; }

 private:
  template <class Pull>
  PullResult guard(const Session& session, Block& out, Pull&& pull) noexcept;

  std::unique_ptr<Feed> feed_;
  EpochScope epochs_;
  Sampler sampler_;
  bool threw_ = false;
};

}  // namespace weir
