#include "dataset/ahead.h"

namespace weir {

Pull PortFeed::next(Context& context, const Want& want, Block& out, Mark& mark) {
  Pull got = port_.pull(context, want, out);
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
  ctx.epochs->advance_to(mark.epochs);
}

}  // namespace weir
