#include "dataset/ahead.h"

#include <new>

namespace weir {

PullResult PortFeed::next(Context& context, const Demand& demand, Block& out, Mark& mark) {
  PullResult got = port_.pull(context, demand, out);
  if (got != PullResult::rows && got != PullResult::end) return got;
  mark.unplaced = false;
  try {
    // What is opened on the way to the end counts as well.
    mark.epochs = context.epochs->table();
    if (got == PullResult::rows) mark.anchor = port_.last_anchor();
  } catch (...) {
    // The rows are there.
    mark.unplaced = true;
  }
  if (got == PullResult::end) return got;
  mark.ordinal = port_.position() - out.rows;
  port_.consume_all();
  return got;
}

void AheadPosition::advance(Context& ctx, const Mark& mark, const Block& block) noexcept {
  unplaced_ = mark.unplaced;
  if (unplaced_) return;
  if (mark.anchor) anchor_ = AnchorRef(static_cast<const Anchor*>(mark.anchor.get()));
  consumed_ = mark.ordinal + block.rows;
  if (epochs_ == mark.epochs) return;
  epochs_ = mark.epochs;
  try {
    ctx.epochs->advance_to(epochs_);
  } catch (...) {
    // The next block tries again.
    epochs_ = nullptr;
    unplaced_ = true;
  }
}

void AheadPosition::finish(Context& ctx, const Mark& mark) noexcept {
  try {
    ctx.epochs->advance_to(mark.epochs);
  } catch (...) {
    // Openings that were not counted draw the same seeds again.
  }
}

void AheadPosition::save(Archive& archive) const {
  if (unplaced_) throw std::bad_alloc();
  std::vector<uint64_t> counts = EpochScope(epochs_).written();
  archive("counts", counts);
  Port::save_position(archive, *anchor_, consumed_);
}

}  // namespace weir
