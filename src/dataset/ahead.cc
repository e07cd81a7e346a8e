#include "dataset/ahead.h"

namespace weir {

Pull PortFeed::next(Context& context, const Want& want, Block& out, Mark& mark) {
  Pull got = port_.pull(context, want, out);
  // What is opened on the way to the end counts, too.
  if (got == Pull::end) mark.epochs = context.epochs->table();
  if (got != Pull::rows) return got;
  mark.ordinal = port_.position() - out.rows;
  mark.anchor = port_.last_anchor();
  mark.epochs = context.epochs->table();
  port_.consume_all();
  return got;
}

void AheadPosition::advance(Context& ctx, const Mark& mark, const Block& block) {
  if (mark.anchor) anchor_ = AnchorRef(static_cast<const Anchor*>(mark.anchor.get()));
  consumed_ = mark.ordinal + block.rows;
  if (epochs_ == mark.epochs) return;
  epochs_ = mark.epochs;
  ctx.epochs->advance_to(epochs_);
}

void AheadPosition::save(Archive& archive) const {
  std::vector<uint64_t> counts = EpochScope(epochs_).written();
  archive("counts", counts);
  Port::save_position(archive, *anchor_, consumed_);
}

}  // namespace weir
