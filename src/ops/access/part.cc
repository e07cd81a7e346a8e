#include "ops/access/part.h"

#include <algorithm>
#include <vector>

namespace weir {

Status Part::open(Context& ctx, Instance instance, const EpochTableRef& before, int depth) {
  epochs_ = EpochScope(before, depth + 1, instance.key);
  Context scoped = ctx;
  scoped.epochs = &epochs_;
  scoped.openings = nullptr;
  auto port = std::make_unique<Port>(scoped, std::move(instance), Port::Mode::keep);
  if (!saved_.empty()) {
    std::vector<uint64_t> counts;
    Archive archive(saved_);
    archive("epochs", counts);
    port->state(archive);
    archive.finish();
    WEIR_TRY(archive.status());
    epochs_ = EpochScope(before, depth + 1, epochs_.key());
    if (!epochs_.assign(counts)) return data_loss("the counts of a part are damaged");
    saved_.clear();
  }
  port_ = std::move(port);
  return Status();
}

PullResult Part::fill(Context& ctx) {
  Context scoped = ctx;
  scoped.epochs = &epochs_;
  scoped.openings = nullptr;
  scoped.opening_error = nullptr;
  for (;;) {
    Demand demand;
    demand.bytes = kTakenBytes;
    demand.rows = width_.rows({.rows = static_cast<int>(kTakenRows), .bytes = kTakenBytes}, kTakenRows);
    const bool pulls = port_->buffered() == 0;
    if (pulls) port_->consume_all();
    const PullResult got = port_->fill(scoped, demand);
    if (got == PullResult::end) end();
    if (got != PullResult::rows) return got;
    if (pulls) {
      const Block& block = port_->block();
      width_.learn(demand, block);
      row_bytes_ = block.byte_size() / std::max(block.rows, 1);
    }
    // What the rank before this one gave after the position was written down.
    const int64_t behind = std::min<int64_t>(given_ - port_->position(), port_->buffered());
    if (behind <= 0) return got;
    port_->take(static_cast<int>(behind));
  }
}

PartPosition Part::save(Holding* holding, int taken) {
  const int64_t given = given_ - taken;
  PartPosition out{number_, given, ended_, saved_};
  if (!port_ || !saved_.empty()) return out;
  // Of a position that has just been loaded, fewer may be behind it than were given, and no more may come.
  port_->consume_to(std::min(given, port_->position()));
  Archive archive(holding);
  std::vector<uint64_t> counts = epochs_.written();
  archive("epochs", counts);
  port_->state(archive);
  out.state = archive.take();
  return out;
}

}  // namespace weir
