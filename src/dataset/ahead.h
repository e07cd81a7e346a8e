// Ahead: what a cursor over a Window needs besides the Window: the feed from a Port, and the position that
// the consumer has reached, which is all that a checkpoint holds of a Window.
#pragma once

#include <memory>

#include "dataset/port.h"
#include "exec/feed.h"

namespace weir {

// Feeds a Window the rows of a Port, each block with the anchor before it. Runs on the Window's pump.
class PortFeed final : public Feed {
 public:
  // REQUIRES: keep mode
  explicit PortFeed(Port port) : port_(std::move(port)) {}
  PullResult next(Context& context, const Demand& demand, Block& out, Mark& mark) override;
  // REQUIRES: nobody pulls
  Port& port() { return port_; }

 private:
  Port port_;
};

// The consumer's position; used only on its thread.
class AheadPosition {
 public:
  // Starts at the beginning of a Port, or where its loaded state stands. The pump counts on from `epochs`.
  void start(Port& port, EpochTableRef epochs) {
    anchor_ = port.last_anchor();
    consumed_ = port.consumed();
    epochs_ = std::move(epochs);
  }
  // The consumer has taken a block.
  void advance(Context& ctx, const Mark& mark, const Block& block) noexcept;
  // The consumer has reached the end.
  void finish(Context& ctx, const Mark& mark) noexcept;
  // Writes the pump's counts here, and the rest as Port::state does, so that a Port can read it. Throws
  // std::bad_alloc if the last block had no mark.
  void save(Archive& archive) const;

 private:
  AnchorRef anchor_;
  int64_t consumed_ = 0;
  EpochTableRef epochs_;
  // There was no memory to record the position; the next block may have a mark again.
  bool unplaced_ = false;
};

}  // namespace weir
