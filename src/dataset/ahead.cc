#include "dataset/ahead.h"

#include <algorithm>
#include <new>

namespace weir {

// Pulls rows that stand together, without those that were delivered.
PullResult PortFeed::pull(Context& context, const Demand& demand, Block& out) {
  if (left_out_ == delivered_.size() && port_.buffered() == 0) [[likely]]
    return port_.pull(context, demand, out);
  for (;;) {
    const PullResult got = port_.fill(context, demand);
    if (got != PullResult::rows) return got;
    const int64_t position = port_.position();
    while (left_out_ < delivered_.size() && delivered_[left_out_].end <= position) ++left_out_;
    int count = port_.buffered();
    bool drops = false;
    if (left_out_ < delivered_.size()) {
      const RowRange& next = delivered_[left_out_];
      drops = next.begin <= position;
      count = static_cast<int>(std::min<int64_t>(count, (drops ? next.end : next.begin) - position));
    }
    if (!drops) {
      out.reset(port_.block().columns.size());
      port_.take_into(out, 0, count);
      out.rows = count;
      return PullResult::rows;
    }
    port_.take(count);
  }
}

PullResult PortFeed::next(Context& context, const Demand& demand, Block& out, Mark& mark) {
  Openings nowhere;
  OpeningLog log{-1, nowhere, nowhere, nullptr, &opened_};
  context.openings = &log;
  context.ahead_bytes = ahead_bytes_;
  const PullResult got = pull(context, demand, out);
  context.openings = nullptr;
  if (got != PullResult::rows && got != PullResult::end) return got;
  mark.unplaced = false;
  try {
    // What is opened on the way to the end counts as well.
    // Most blocks change neither, and another reference costs two atomic operations.
    if (const EpochTableRef& table = context.epochs->table(); mark.epochs != table) mark.epochs = table;
    if (got == PullResult::rows) {
      if (const AnchorRef& anchor = port_.last_anchor(); mark.anchor.get() != anchor.get())
        mark.anchor = anchor;
      mark.opened = opened_names();
    }
  } catch (...) {
    // The rows are there.
    mark.unplaced = true;
  }
  if (got == PullResult::end) return got;
  mark.ordinal = port_.position() - out.rows;
  port_.consume_all();
  return got;
}

RefPtr<const RefCounted> PortFeed::opened_names() {
  if (opened_.empty()) return nullptr;
  auto names = make_ref<OpenedNames>();
  names->list.swap(opened_);
  return names;
}

void AheadPosition::start(Port& port, EpochTableRef epochs, const std::vector<RowRange>& delivered) {
  anchor_ = port.last_anchor();
  consumed_ = port.consumed();
  needs_marks_ = port.node().may_list_openings();
  unplaced_ = unknown_since_ = false;
  epochs_ = std::move(epochs);
  beyond_.clear();
  for (const RowRange& range : delivered) beyond_.emplace(range.begin, Beyond{range.end, {}});
}

void AheadPosition::advance(Context& ctx, const Mark& mark, const Block& block) noexcept {
  const int64_t end = mark.ordinal + block.rows;
  if (mark.ordinal != consumed_) {
    try {
      beyond_.emplace(mark.ordinal, Beyond{end, mark});
    } catch (...) {
      lost_ = true;
    }
    return;
  }
  reach(ctx, mark, end);
  while (!beyond_.empty() && beyond_.begin()->first == consumed_) {
    const auto next = beyond_.begin();
    // What a restored position had beyond it has no mark: the one before it will do.
    if (next->second.mark.unplaced) unknown_since_ = true;
    if (next->second.mark.anchor || next->second.mark.unplaced) {
      reach(ctx, next->second.mark, next->second.end);
    } else {
      consumed_ = next->second.end;
    }
    beyond_.erase(next);
  }
}

// All rows before `end` are delivered, the last of them with `mark`.
void AheadPosition::reach(Context& ctx, const Mark& mark, int64_t end) noexcept {
  consumed_ = end;
  unplaced_ = mark.unplaced;
  if (unplaced_) return;
  unknown_since_ = false;
  if (mark.anchor && mark.anchor.get() != anchor_.get())
    anchor_ = AnchorRef(static_cast<const Anchor*>(mark.anchor.get()));
  if (epochs_ == mark.epochs) return;
  epochs_ = mark.epochs;
  try {
    ctx.epochs->advance_to(epochs_);
  } catch (...) {
    // The next block tries again.
    epochs_ = nullptr;
    unplaced_ = unknown_since_ = true;
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
  if (lost_ || (unplaced_ && (unknown_since_ || needs_marks_))) throw std::bad_alloc();
  std::vector<uint64_t> counts = EpochScope(epochs_).written();
  archive("counts", counts);
  if (!beyond_.empty()) {
    std::vector<int64_t> delivered;
    for (const auto& [begin, beyond] : beyond_) delivered.insert(delivered.end(), {begin, beyond.end});
    archive("delivered", delivered);
  }
  Port::save_position(archive, *anchor_, consumed_);
}

}  // namespace weir
