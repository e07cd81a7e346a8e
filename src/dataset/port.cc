#include "dataset/port.h"

#include <algorithm>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "core/text.h"
#include "dataset/counted.h"
#include "dataset/failed_read.h"
#include "dataset/holding.h"
#include "dataset/settling.h"

namespace weir {

namespace {

// Anchors may cost one part in this many of the time that passes.
constexpr int64_t kAnchorShare = 256;
constexpr int64_t kMaxAnchorRows = int64_t{1} << 20;
// Inputs shorter than this are replayed from their beginning.
constexpr int64_t kFirstAnchorRows = 32;
// More anchors than this are thinned.
constexpr size_t kMaxAnchors = 256;
// An anchor is due when the numbers of the openings since the last one no longer follow a rule.
constexpr size_t kMaxRuns = 64;

// The error in a block that ends a restored input before the rows it gave earlier, or null. Without memory,
// or where a file that was read cannot be read now, an input gives fewer rows than it did, or counts them as
// others.
ErrorPtr lost_position(const Block& block) {
  for (const RowError& error : block.errors) {
    if (error.error->position_lost || error.error->read_failed || is_out_of_memory(*error.error))
      return error.error;
  }
  return nullptr;
}

bool has_lost_memory(const Block& block) {
  return std::any_of(block.errors.begin(), block.errors.end(),
                     [](const RowError& error) { return ran_out_of_memory(*error.error); });
}

}  // namespace

Port::Port(Opening& opening, int index, Mode mode, Opens opens)
    : Port(opening.ctx, opening.input(index), mode, opens) {}

Port::Port(Context& ctx, Instance instance, Mode mode, Opens opens)
    : mode_(mode),
      instance_(std::move(instance)),
      by_value_(mode == Mode::keep && ctx.session.holds_rows() && !node().not_replayable().empty()) {
  start_over();
  if (opens == Opens::now) open(ctx);
}

Port::Port(Port&&) noexcept = default;
Port& Port::operator=(Port&&) noexcept = default;
Port::~Port() = default;

Result<Port> Port::open_at(Context& ctx, Instance instance, Mode mode, std::string_view saved) {
  QuietContext quiet(ctx);
  Port port(*quiet, std::move(instance), mode);
  Archive archive(saved);
  port.state(archive);
  archive.finish();
  if (!archive.status().ok()) return archive.status();
  return port;
}

// Loads what a pass Port saved, or one that holds rows by value: an anchor at the position itself.
void Port::load_passed(Archive& archive) {
  auto anchor = make_ref<Anchor>();
  archive("pulled", anchor->ordinal, 0, kMostCounted);
  archive("values", anchor->values, 0, anchor->ordinal);
  // An input that was never opened has no state.
  anchor->fresh = !archive.next_is(node().op().name);
  if (!anchor->fresh) {
    Archive input;
    Stage::copy_state(node(), archive, input);
    anchor->bytes = input.take();
  }
  if (!archive.status().ok()) return;
  consumed_ = anchor->ordinal;
  load_anchor(std::move(anchor), archive);
}

// Takes the position up from `anchor` at the next pull.
void Port::load_anchor(RefPtr<Anchor> anchor, Archive& archive) {
  if (!anchor->fresh && stage_) {
    Archive input(anchor->bytes);
    stage_->state(input);
    input.finish();
    if (!input.status().ok()) return archive.fail(input.status().error().message);
  }
  block_.rows = 0;
  begin_ = 0;
  pulled_ = consumed_;
  position_lost_ = false;
  restore_anchor_ = std::move(anchor);
}

// Adds a fresh anchor, with nothing pulled.
void Port::start_over() {
  block_.rows = 0;
  begin_ = 0;
  pulled_ = values_ = consumed_ = 0;
  position_lost_ = false;
  open_error_ = nullptr;
  if (by_value_) unconsumed_ = HeldRows();
  kept_from_ = 0;
  if (mode_ == Mode::pass) return;
  if (!start_) {
    auto anchor = make_ref<Anchor>();
    anchor->fresh = true;
    start_ = std::move(anchor);
  }
  anchors_.clear();
  anchors_.push_back({start_, {}});
  if (!replay_openings_.empty()) replay_openings_ = Openings();
  if (!cuts_.empty()) cuts_ = Cuts();
  cut_due_ = false;
  place_ = nullptr;
  next_anchor_ = kFirstAnchorRows;
}

void Port::open(Context& ctx) {
  if (logs_nothing()) return open_stage(ctx);
  OpeningLog log{ctx.epochs->depth(), anchors_.back().openings, replay_openings_, ctx.openings};
  Context inside = ctx;
  inside.openings = &log;
  open_stage(inside);
}

void Port::open_stage(Context& ctx) {
  if (stage_ && stage_->reopen(ctx, node(), instance_.env, instance_.key)) return;
  stage_ = Stage::open(ctx, instance_);
}

PullResult Port::next(Context& ctx, const Demand& demand, Block& out) {
  // Where a read has failed in this pull, the Stage gives no more rows.
  if (logs_nothing() || (ctx.openings && ctx.openings->read_failed)) return stage_->next(ctx, demand, out);
  OpeningLog log{ctx.epochs->depth(), anchors_.back().openings, replay_openings_, ctx.openings};
  Context inside = ctx;
  inside.openings = &log;
  const PullResult got = stage_->next(inside, demand, out);
  if (log.read_failed) [[unlikely]]
    cut_due_ = mode_ == Mode::keep;
  return got;
}

void Port::try_open(Context& ctx) noexcept {
  try {
    open(ctx);
  } catch (...) {
    open_error_ = error_of_exception();
  }
}

void Port::reopen(Context& ctx, uint64_t key) {
  instance_.key = key;
  stage_.reset();
  start_over();
  try_open(ctx);
}

void Port::restore_under(Context& ctx, uint64_t key) {
  QuietContext quiet(ctx);
  Archive saved;
  state(saved);
  std::string bytes = saved.take();
  reopen(*quiet, key);
  Archive loaded(bytes);
  state(loaded);
}

void Port::anchor_if_due(Context& ctx) noexcept {
  const bool scattered =
      anchors_.back().openings.run_count() > kMaxRuns && pulled_ > anchors_.back().anchor->ordinal;
  if ((pulled_ < next_anchor_ && !scattered) || mode_ == Mode::whole || by_value_) return;
  // The input may owe more errors of this kind. Replayed from here, they would be taken for the replay's own.
  if (std::exchange(lost_memory_, false)) return;
  Clock& clock = *ctx.runtime().clock;
  int64_t begin_ns = clock.now_ns();
  int64_t rows = pulled_ - anchors_.back().anchor->ordinal;
  try {
    write_anchor();
  } catch (...) {
    // Rows can be replayed from the last anchor as well.
  }
  int64_t end_ns = clock.now_ns();
  // How long the rows since the last anchor took. The next one is due once its cost is a small share of that.
  int64_t elapsed_ns = std::max<int64_t>(1, begin_ns - anchored_at_ns_);
  int64_t cost_ns = std::max<int64_t>(1, end_ns - begin_ns);
  double due = anchored_at_ns_ == 0 ? 64.0
                                    : static_cast<double>(rows) * static_cast<double>(cost_ns) *
                                          kAnchorShare / static_cast<double>(elapsed_ns);
  next_anchor_ = pulled_ + std::clamp(static_cast<int64_t>(std::min(due, 1e12)), anchor_gap_, kMaxAnchorRows);
  anchored_at_ns_ = end_ns;
}

void Port::write_anchor() {
  auto anchor = make_ref<Anchor>();
  anchor->ordinal = pulled_;
  anchor->values = values_;
  Archive archive;
  stage_->state(archive);
  anchor->bytes = archive.take();
  anchors_.push_back({std::move(anchor), {}});
  place_ = nullptr;
  if (anchors_.size() > kMaxAnchors) thin_anchors();
}

// Keeps every other anchor, including the first and the last.
void Port::thin_anchors() {
  std::vector<AnchorPoint> kept;
  for (size_t i = 0; i < anchors_.size(); ++i) {
    if (i % 2 == 0 || i + 1 == anchors_.size() || cuts_.before(*anchors_[i].anchor)) {
      kept.push_back(anchors_[i]);
    } else {
      kept.back().openings.append(anchors_[i].openings);
    }
  }
  anchors_.swap(kept);
  int64_t span = anchors_.back().anchor->ordinal - anchors_.front().anchor->ordinal;
  anchor_gap_ = std::min(kMaxAnchorRows, 2 * span / static_cast<int64_t>(kMaxAnchors) + 1);
}

Status Port::restore(Context& ctx) {
  AnchorRef anchor = std::exchange(restore_anchor_, nullptr);
  std::vector<AnchorPoint> anchors;
  anchors.push_back({with_openings(*anchor, {}, {}), {}});
  anchors_.swap(anchors);
  place_ = nullptr;
  if (!replay_openings_.assign(anchor->openings, anchor->names))
    return data_loss("the openings of a position are damaged");
  cuts_.load(anchor->cuts);
  cut_due_ = false;
  pulled_ = anchor->ordinal;
  values_ = anchor->values;
  next_anchor_ = std::max(consumed_, pulled_) + kFirstAnchorRows;
  if (anchor->fresh) {
    stage_.reset();
    open(ctx);
  } else if (!stage_) {
    return open_saved(ctx, *anchor);
  }
  return Status();
}

// Opens the input at an anchor that is not fresh.
Status Port::open_saved(Context& ctx, const Anchor& anchor) {
  QuietContext quiet(ctx);
  stage_ = Stage::open(*quiet, instance_);
  Archive input(anchor.bytes);
  stage_->state(input);
  input.finish();
  return input.status();
}

// Goes on as a pass Port once the position has been taken up.
void Port::pass_on() {
  mode_ = Mode::pass;
  passes_afterwards_ = false;
  anchors_.clear();
  place_ = nullptr;
  replay_openings_ = Openings();
  cuts_ = Cuts();
}

// Puts an error into `out` in place of the next row, and ends the sequence.
void Port::lose(const ErrorPtr& error, Block& out) noexcept {
  pulled_ = consumed_ + 1;
  position_lost_ = true;
  block_.rows = 0;
  out.set_error(as_lost_position(error), node().components().size());
}

// Goes to the loaded position. Answers rows when done, and end if there is an error in `out`.
PullResult Port::take_up(Context& ctx, Block& out) noexcept try {
  if (restore_anchor_) {
    Status restored = restore(ctx);
    if (!restored.ok()) {
      lose(restored.pointer(), out);
      return PullResult::end;
    }
  }
  return drop_replayed(ctx, out);
} catch (...) {
  lose(error_of_exception(), out);
  return PullResult::end;
}

// Keeps rows that were just pulled until they are consumed.
void Port::keep(const Block& block) noexcept try {
  unconsumed_.add(block.slice(0, block.rows));
} catch (...) {
  // Until the rows up to here are consumed, nothing can be saved.
  unconsumed_ = HeldRows();
  kept_from_ = pulled_;
}

ErrorPtr Port::lost(const Block& block) const { return met_cut_ ? nullptr : lost_position(block); }

// Pulls what comes after the rows so far, after a restore as it was when the position was saved.
PullResult Port::next_uncut(Context& ctx, const Demand& demand, Block& out) {
  last_pull_ = pulled_;
  met_cut_ = false;
  if (cuts_.is_ahead()) [[unlikely]] {
    while (cuts_.is_ahead() && cuts_.next().ordinal == pulled_ && !cuts_.next().error) {
      if (const Status passed = pass_cut(ctx); !passed.ok()) return end_here(passed.pointer(), out);
    }
    if (cuts_.is_ahead() && cuts_.next().ordinal == pulled_) return meet_cut(ctx, out);
  }
  PullResult got = next(ctx, cuts_.is_ahead() ? demand.at_most(cuts_.next().ordinal - pulled_) : demand, out);
  if (got == PullResult::end && cuts_.is_ahead()) return end_here(shorter_than_saved(ctx.session), out);
  if (got == PullResult::rows) {
    pulled_ += out.rows;
    values_ += counted_rows(out);
  }
  if (cut_due_ && cuts_.is_ahead() && cuts_.next().ordinal == pulled_) [[unlikely]] {
    // It failed there before, as the enclosing Ports know.
    cut_due_ = false;
    take_back_failed_read(ctx);
  }
  if (got != PullResult::rows) return got;
  if (!out.errors.empty()) [[unlikely]] {
    lost_memory_ = has_lost_memory(out);
    if (mode_ == Mode::keep && !by_value_) note_failed_reads(out);
  }
  return got;
}

PullResult Port::pull(Context& ctx, const Demand& demand, Block& out) {
  if (mode_ != Mode::pass) {
    if (restore_anchor_ || pulled_ < consumed_) [[unlikely]] {
      PullResult taken_up = take_up(ctx, out);
      if (taken_up == PullResult::end) return PullResult::rows;
      if (taken_up != PullResult::rows) return taken_up;
    }
    if (passes_afterwards_ && !cuts_.is_ahead()) [[unlikely]]
      pass_on();
    if (mode_ != Mode::pass && stage_ && !position_lost_) {
      if (cut_due_) [[unlikely]]
        make_cut();
      anchor_if_due(ctx);
    }
  }
  if (position_lost_) [[unlikely]]
    return PullResult::end;
  if (!stage_ && !open_error_) [[unlikely]]
    try_open(ctx);
  if (open_error_) [[unlikely]] {
    ++pulled_;
    position_lost_ = true;
    out.set_error(as_error_of_opening(std::exchange(open_error_, nullptr)), node().components().size());
    return PullResult::rows;
  }
  if (!by_value_) [[likely]]
    return next_uncut(ctx, demand, out);
  Demand with_values = demand;
  with_values.drop = false;
  with_values.step = 1;
  const PullResult got = next_uncut(ctx, with_values, out);
  if (got == PullResult::rows) keep(out);
  return got;
}

PullResult Port::fill(Context& ctx, const Demand& demand) {
  if (buffered() > 0) return PullResult::rows;
  const bool had_rows = block_.rows > 0;
  begin_ = 0;
  block_.rows = 0;
  if (had_rows && (cut_due_ || !cuts_.made().empty())) [[unlikely]] {
    const bool made = !cuts_.made().empty() && cuts_.made().back().next() == pulled_;
    if (cut_due_ ? !cut_error_ : made && !cuts_.made().back().error) {
      // A read failed after the rows that have been taken now.
      note_failed_read(ctx);
      ctx.waker->wake();
      return PullResult::pending;
    }
  }
  PullResult got = pull(ctx, demand, block_);
  if (got != PullResult::rows) block_.rows = 0;
  if (cut_due_ && got == PullResult::rows) [[unlikely]]
    take_back_failed_read(ctx);
  // A target was for this pull only: its place may be delivered before the next one.
  for (Column& column : block_.columns) column.clear_target();
  return got;
}

void Port::take_into(Block& out, size_t first, int count) {
  bool whole = begin_ == 0 && count == block_.rows;
  for (size_t i = 0; i < block_.columns.size() && first + i < out.columns.size(); ++i) {
    // Swapping leaves the consumer's spare memory for the next pull.
    if (whole) {
      std::swap(out.columns[first + i], block_.columns[i]);
    } else {
      out.columns[first + i] = block_.columns[i].slice(begin_, count);
    }
  }
  // Failed rows may have no columns.
  const size_t end = std::min(first + node().components().size(), out.columns.size());
  for (size_t i = first + block_.columns.size(); i < end; ++i) out.columns[i].make_placeholder();
  for (const RowError& error : block_.errors) {
    if (error.row >= begin_ && error.row < begin_ + count) out.fail_row(error.row - begin_, error.error);
  }
  // With several inputs, the origins are those of the first that has any.
  if (out.origins.empty()) out.origins.append(block_.origins, begin_, count, 0);
  take(count);
}

void Port::consume_to(int64_t ordinal) {
  consumed_ = std::max(consumed_, ordinal);
  // The first anchor stays the last one at or before the oldest unconsumed row.
  size_t passed = 0;
  while (passed + 1 < anchors_.size() && anchors_[passed + 1].anchor->ordinal <= consumed_) ++passed;
  if (passed > 0) anchors_.erase(anchors_.begin(), anchors_.begin() + static_cast<ptrdiff_t>(passed));
  if (by_value_)
    unconsumed_.drop(std::clamp<int64_t>(unconsumed_.rows() - (pulled_ - consumed_), 0, unconsumed_.rows()));
  if (!cuts_.empty()) [[unlikely]]
    cuts_.forget_before(*anchors_.front().anchor);
}

const AnchorRef& Port::last_anchor() {
  if (restore_anchor_) return restore_anchor_;
  if (cut_due_) make_cut();
  if (!cuts_.empty()) [[unlikely]] {
    size_t last = anchors_.size() - 1;
    while (last > 0 && anchors_[last].anchor->ordinal > last_pull_) --last;
    place_ = placed(last);
    place_changes_ = UINT64_MAX;
    return place_;
  }
  const AnchorPoint& last = anchors_.back();
  const uint64_t changes = last.openings.change_count() + replay_openings_.change_count();
  if (place_ && place_changes_ == changes) return place_;
  place_changes_ = changes;
  place_ = last.anchor;
  if (last.openings.empty() && replay_openings_.empty()) return place_;
  place_ = with_openings(*last.anchor, last.openings, replay_openings_);
  return place_;
}

void Port::save_position(Archive& archive, const Anchor& anchor, int64_t consumed) {
  AnchorFields copy = anchor;
  archive("consumed", consumed);
  copy.state(archive);
}

// Writes the input's state in pass mode.
void Port::save_input(Archive& archive) {
  if (stage_) {
    stage_->state(archive);
  } else if (position_lost_ || open_error_) {
    write_ended(node(), archive);
  }
}

// Writes the state for an archive that settles other inputs.
void Port::save_as_usual(Archive& archive) {
  Archive plain;
  state(plain);
  archive.append(plain.take());
}

// Takes up the loaded position, and writes it without rows to drop.
void Port::settled_state(Archive& archive) {
  Settling& settling = *archive.settling();
  if (mode_ != Mode::pass && (restore_anchor_ || pulled_ < consumed_)) {
    Block out;
    const PullResult taken_up = take_up(*settling.ctx, out);
    if (taken_up == PullResult::end) return settling.fail(out.errors[0].error);
    if (taken_up != PullResult::rows) return settling.stop(taken_up);
  }
  if (passes_afterwards_) pass_on();
  if (pulled_ > consumed_ && mode_ != Mode::pass) {
    // While rows were dropped the operator took more than it had to. The input is opened again at what it has
    // used.
    if (!settled_) {
      Archive plain;
      state(plain);
      const std::string bytes = plain.take();
      auto port = open_at(*settling.ctx, instance_, mode_, bytes);
      if (!port.ok()) return settling.fail(port.status().pointer());
      settled_ = std::make_unique<Port>(*std::move(port));
    }
    return settled_->settled_state(archive);
  }
  if (settling.collects()) {
    if (stage_) stage_->state(archive);
    return;
  }
  // An endless repeat must not take the epoch for an empty one because the least advanced rank has given
  // nothing.
  int64_t pulled = std::max<int64_t>(pulled_, 1);
  int64_t values = std::max<int64_t>(values_, 1);
  if (mode_ == Mode::pass) {
    archive("pulled", pulled);
    archive("values", values);
    return save_input(archive);
  }
  Archive input(&settling);
  save_input(input);
  AnchorFields here;
  here.ordinal = pulled;
  here.values = values;
  here.fresh = !stage_;
  here.bytes = input.take();
  save_position(archive, Anchor(std::move(here)), pulled);
}

// Writes the input's state as of the last row consumed: then it gives the rows pulled since.
void Port::save_by_value(Archive& archive) {
  Holding& holding = *archive.holding();
  if (consumed_ < kept_from_) return holding.fail(out_of_memory());
  if (!stage_ && !open_error_ && !position_lost_) return save_position(archive, *anchors_.front().anchor, 0);
  int64_t values = values_ - unconsumed_.values();
  archive("pulled", consumed_);
  archive("values", values);
  if (stage_) holding.unused = unconsumed_;
  save_input(archive);
}

void Port::state(Archive& archive) {
  if (archive.settling() != nullptr) {
    if (node().sites().by_rank) return settled_state(archive);
    return save_as_usual(archive);
  }
  if (mode_ == Mode::pass && archive.loading() && !archive.next_is("pulled")) {
    // A Window stood here when this was saved. Its counts of openings are those of the whole position.
    std::vector<uint64_t> counts;
    if (archive.next_is("counts")) archive("counts", counts);
    if (archive.next_is("delivered")) {
      return archive.fail(
          "the position was saved where elements came in any order; restore it with num_parallel_calls above 1, as it was");
    }
    mode_ = Mode::keep;
    passes_afterwards_ = true;
  }
  if (mode_ == Mode::pass) {
    archive("pulled", pulled_, 0, kMostCounted);
    archive("values", values_, 0, pulled_);
    save_input(archive);
    if (archive.loading()) position_lost_ = false;
    return;
  }
  if (archive.loading() && archive.next_is("pulled")) return load_passed(archive);
  if (!archive.loading()) {
    if (by_value_ && archive.holding() != nullptr && !restore_anchor_ && pulled_ >= consumed_)
      return save_by_value(archive);
    if (restore_anchor_) return save_position(archive, *restore_anchor_, consumed_);
    if (cut_due_) make_cut();
    return save_position(archive, *placed(0), consumed_);
  }
  auto anchor = make_ref<Anchor>();
  archive("consumed", consumed_, 0, kMostCounted);
  anchor->state(archive);
  if (archive.status().ok() && anchor->ordinal > consumed_)
    archive.fail("an anchor lies behind its position");
  if (archive.status().ok()) load_anchor(std::move(anchor), archive);
}

}  // namespace weir
