// Ahead: what a cursor over a Window needs besides the Window: the feed from a Port, and the position that
// the consumer has reached, which is all that a checkpoint holds of a Window.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "dataset/port.h"
#include "exec/feed.h"

namespace weir {

// Rows [begin, end) of a Port.
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// Feeds a Window the rows of a Port, each block with the anchor before it. Runs on the Window's pump.
class PortFeed final : public Feed {
 public:
  // Leaves out the rows in `delivered`, which are in order and lie apart. `ahead_bytes` is that of contexts.
  // REQUIRES: keep mode
  PortFeed(Port port, int64_t ahead_bytes, std::vector<RowRange> delivered)
      : port_(std::move(port)), ahead_bytes_(ahead_bytes), delivered_(std::move(delivered)) {}
  PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) override;
  // REQUIRES: no pull in progress
  Port& port() { return port_; }

 private:
  PullResult pull(Context& context, const Demand& demand, Block& out);
  RefPtr<const RefCounted> opened_names();

  Port port_;
  const int64_t ahead_bytes_;
  std::vector<RowRange> delivered_;
  // How many of them were left out.
  size_t left_out_ = 0;
  // Names found since the last block.
  std::vector<OpenedNames::One> opened_;
};

// The consumer's position; used only on its thread.
class AheadPosition {
 public:
  // Starts at the beginning of a Port, or at its loaded state; rows in `delivered` are beyond that. The pump
  // continues to count from `epochs`.
  void start(Port& port, EpochTableRef epochs, const std::vector<RowRange>& delivered);
  // The consumer has taken a block.
  void advance(Context& ctx, const Mark& mark, const Block& block) noexcept;
  // The consumer has reached the end.
  void finish(Context& ctx, const Mark& mark) noexcept;
  // Writes the pump's counts here, what was delivered beyond the position if a Window gave its rows in
  // another order, and the rest as Port::state does, so that a Port can read it. If there was no memory to
  // mark the last blocks, it writes the place before; throws std::bad_alloc where that is not enough.
  void save(Archive& archive) const;

 private:
  // Rows that were delivered before others that come earlier.
  struct Beyond {
    int64_t end;
    Mark mark;
  };
  void reach(Context& ctx, const Mark& mark, int64_t end) noexcept;

  // By the first row of each.
  std::map<int64_t, Beyond> beyond_;
  // There was no memory to note one.
  bool lost_ = false;
  AnchorRef anchor_;
  int64_t consumed_ = 0;
  EpochTableRef epochs_;
  // There was no memory to record the position; the next block may have a mark again.
  bool unplaced_ = false;
  // More happened since anchor_ than rows tell.
  bool unknown_since_ = false;
  // The input may open datasets, which only marks tell.
  bool needs_marks_ = true;
};

}  // namespace weir
