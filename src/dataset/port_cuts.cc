// The half of Port that knows about cuts.
#include <algorithm>
#include <utility>

#include "core/exception.h"
#include "dataset/failed_read.h"
#include "dataset/port.h"

namespace weir {

namespace {

ErrorPtr can_read_again() {
  return Status(
             Code::failed_precondition,
             Mistake(
                 "a file that could not be read when the position was saved can be read now, and there was no memory to save what follows it",
                 "restore an earlier position"))
      .pointer();
}

ErrorPtr cannot_read_again() {
  return Status(Code::unavailable,
                Mistake("a file that had been read when the position was saved cannot be read now",
                        "make it readable and restore the position again"))
      .pointer();
}

}  // namespace

// Answers rows when done, and end if there is an error in `out`: other rows follow than when the position was
// saved.
PullResult Port::drop_replayed(Context& ctx, Block& out) {
  Demand demand;
  demand.drop = true;
  while (pulled_ < consumed_) {
    demand.rows = static_cast<int>(std::min<int64_t>(kMaxBlockRows, consumed_ - pulled_));
    const PullResult got = next_uncut(ctx, demand, block_);
    // The enclosing Ports know of it from before.
    if (cut_due_) take_back_failed_read(ctx);
    ErrorPtr error;
    if (got == PullResult::end) error = shorter_than_saved(ctx.session);
    if (got == PullResult::rows) error = lost(block_);
    // After the last row it is a cut of its own.
    if (!error && cut_due_ && pulled_ < consumed_) error = cannot_read_again();
    if (error) {
      lose(error, out);
      return PullResult::end;
    }
    if (got != PullResult::rows) return got;
    block_.rows = 0;
  }
  if (cut_due_) note_failed_read(ctx);
  return PullResult::rows;
}

// Answers the error of the cut that the input is at.
PullResult Port::meet_cut(Context& ctx, Block& out) {
  const Cut cut = cuts_.next();
  if (cut.anchor) {
    if (const Status passed = pass_cut(ctx); !passed.ok()) return end_here(passed.pointer(), out);
  } else {
    Demand one;
    one.drop = true;
    const PullResult got = next(ctx, one, out);
    if (got == PullResult::end) return end_here(shorter_than_saved(ctx.session), out);
    if (got != PullResult::rows) return got;
    if (cut.again && !has_failed_read(out)) return end_here(can_read_again(), out);
    cuts_.pass(nullptr);
  }
  pulled_ = cut.next();
  out.origins.clear();
  out.set_error(cut.error, node().components().size());
  met_cut_ = true;
  return PullResult::rows;
}

// Goes on from the anchor of the next cut.
Status Port::pass_cut(Context& ctx) {
  const AnchorRef saved = cuts_.next().anchor;
  if (!replay_openings_.assign(saved->openings, saved->names))
    return data_loss("the openings of a position are damaged");
  WEIR_TRY(open_saved(ctx, *saved));
  const AnchorRef anchor = with_openings(*saved, {}, {});
  anchors_.push_back({anchor, {}});
  cuts_.pass(anchor);
  values_ = anchor->values;
  place_ = nullptr;
  return Status();
}

// Puts an error into `out` after which the sequence ends, since its position cannot be resumed.
PullResult Port::end_here(const ErrorPtr& error, Block& out) noexcept {
  ++pulled_;
  position_lost_ = true;
  out.origins.clear();
  out.set_error(as_lost_position(error), node().components().size());
  return PullResult::rows;
}

// The rows just pulled have errors. Those of files that could not be read may be absent from a replay.
void Port::note_failed_reads(const Block& out) noexcept {
  const int64_t first = pulled_ - out.rows;
  for (const RowError& error : out.errors) {
    if (!error.error->read_failed) continue;
    if (error.row + 1 == out.rows) {
      cut_due_ = true;
      cut_error_ = error.error;
    } else {
      cuts_.add({first + error.row, error.error, nullptr});
    }
  }
}

// Cuts at the input's position, after the last pull.
void Port::make_cut() noexcept {
  cut_due_ = false;
  Cut cut{pulled_, std::exchange(cut_error_, nullptr), nullptr};
  if (cut.error) --cut.ordinal;
  try {
    write_anchor();
    cut.anchor = anchors_.back().anchor;
    cuts_.add(std::move(cut));
  } catch (...) {
    cuts_.add_without_memory(std::move(cut));
  }
}

// An anchor with what a replay from it needs to know about the rows since.
AnchorRef Port::placed(size_t first) const {
  struct Part {
    const Anchor* anchor;
    Openings openings;
  };
  std::vector<Part> parts;
  for (size_t i = first; i < anchors_.size(); ++i) {
    const Anchor* anchor = anchors_[i].anchor.get();
    if (i == first || cuts_.before(*anchor)) parts.push_back({anchor, {}});
    parts.back().openings.append(anchors_[i].openings);
  }
  parts.back().openings.append(replay_openings_);
  RefPtr<Anchor> out = with_openings(*parts[0].anchor, parts[0].openings, {});
  if (cuts_.empty()) return out;
  cuts_.write(*out, [&](const Anchor& anchor) -> AnchorRef {
    const auto part =
        std::find_if(parts.begin() + 1, parts.end(), [&](const Part& one) { return one.anchor == &anchor; });
    if (part == parts.end()) return nullptr;
    return with_openings(anchor, part->openings, {});
  });
  return out;
}

}  // namespace weir
