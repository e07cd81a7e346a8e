// Ahead: what a cursor over a Window needs beside the Window: the feed from a Port, and the position that the
// consumer has reached, which is all of a Window that a checkpoint holds.
// Ownership: PortFeed owns its Port and goes with the Window. Threads: a PortFeed has the pump's,
// AheadPosition the consumer's. Errors: rows. Cost: a pointer a block.
#pragma once

#include <memory>

#include "dataset/port.h"
#include "exec/feed.h"

namespace weir {

// Gives a Window the rows of a Port, each block with the anchor before it.
class PortFeed final : public Feed {
 public:
  // REQUIRES: keep mode
  explicit PortFeed(Port port) : port_(std::move(port)) {}
  PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) override;

 private:
  Port port_;
};

class AheadPosition {
 public:
  // At the beginning of a Port, or where its loaded state stands. The pump counts on from `epochs`.
  void start(Port& port, EpochTableRef epochs) {
    anchor_ = port.last_anchor();
    consumed_ = port.consumed();
    epochs_ = std::move(epochs);
  }
  // The consumer took a block.
  void advance(Context& ctx, const Mark& mark, const Block& block) noexcept;
  // The consumer came to the end.
  void finish(Context& ctx, const Mark& mark) noexcept;
  // The pump's counts here, and the rest as Port::state writes it, so that a Port reads it back. Throws
  // std::bad_alloc where the last block had no mark.
  void save(Archive& archive) const;

 private:
  AnchorRef anchor_;
  int64_t consumed_ = 0;
  EpochTableRef epochs_;
  // Where it stands could not be written down for lack of memory; the next block may be marked again.
  bool unplaced_ = false;
};

}  // namespace weir
