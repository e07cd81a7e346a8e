#include "dataset/port.h"

#include <algorithm>
#include <utility>

#include "core/checked.h"
#include "core/exception.h"
#include "dataset/counted.h"
#include "dataset/holding.h"

namespace weir {

namespace {

// Whether positions have the rows that the operator has not consumed by value.
bool keeps_unconsumed(const Context& ctx, const Dataset& node, Port::Mode mode) {
  return mode == Port::Mode::keep && ctx.session.holds_rows() && !node.not_replayable().empty();
}

// Without memory, or where a file that was read cannot be read now, an input gives fewer rows than it did, or
// counts them as others.
bool changes_rows(const Error& error) {
  // What lacked memory and has the number of a read is a listed error.
  return error.position_lost || error.read_failed || (is_out_of_memory(error) && error.read == 0) ||
         std::any_of(error.parts.others.begin(), error.parts.others.end(),
                     [](const ErrorPtr& other) { return changes_rows(*other); });
}

bool has_lost_memory(const Block& block) {
  return std::any_of(block.errors.begin(), block.errors.end(),
                     [](const RowError& error) { return ran_out_of_memory(*error.error); });
}

}  // namespace

Port::Port(Opening& opening, int index, Mode mode, Opens opens)
    : Port(opening.ctx, opening.input(index), mode, opens) {}

Port::Port(Context& ctx, Instance instance, Mode mode, Opens opens)
    : mode_(mode), instance_(std::move(instance)), unconsumed_(keeps_unconsumed(ctx, node(), mode)) {
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

// Nothing is pulled.
void Port::start_over() {
  block_.rows = 0;
  begin_ = 0;
  pulled_ = values_ = consumed_ = 0;
  position_lost_ = false;
  open_error_ = nullptr;
  unconsumed_.start_over();
  if (mode_ != Mode::pass) anchors_.start_over();
}

// A dataset is opened again for the next row.
void Port::restart(Opening& opening, const DatasetRef& node, const EnvRef& env, Mode mode, Opens opens) {
  if (node == instance_.node) {
    instance_.env = env;
    instance_.key = opening.key;
  } else {
    instance_ = Instance(node, env, opening.key, opening.path);
  }
  mode_ = mode;
  passes_afterwards_ = false;
  unconsumed_ = UnconsumedRows(keeps_unconsumed(opening.ctx, this->node(), mode));
  anchors_.forget_costs();
  restore_anchor_ = nullptr;
  start_over();
  if (opens == Opens::now) {
    open(opening.ctx);
  } else {
    stage_.reset();
  }
}

void Port::open(Context& ctx) {
  if (logs_nothing()) return open_stage(ctx);
  OpeningLog log{ctx.epochs->depth(), anchors_.since(), anchors_.due(), ctx.openings};
  Context inside = ctx;
  inside.openings = &log;
  open_stage(inside);
}

void Port::open_stage(Context& ctx) {
  if (stage_ && stage_->reopen(ctx, node(), instance_.env, instance_.key)) return;
  stage_ = Stage::open(ctx, instance_);
}

PullResult Port::next(Context& ctx, const Demand& demand, Block& out) {
  if (logs_nothing()) return stage_->next(ctx, demand, out);
  OpeningLog log{ctx.epochs->depth(), anchors_.since(), anchors_.due(), ctx.openings};
  Context inside = ctx;
  inside.openings = &log;
  return stage_->next(inside, demand, out);
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

Status Port::restore(Context& ctx) {
  AnchorRef anchor = std::exchange(restore_anchor_, nullptr);
  if (!anchors_.start_at(*anchor, std::max(consumed_, anchor->ordinal)))
    return data_loss("the openings of a position are damaged");
  pulled_ = anchor->ordinal;
  values_ = anchor->values;
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

ErrorPtr Port::lost(const Block& block) {
  for (const RowError& error : block.errors) {
    if (changes_rows(*error.error)) return error.error;
  }
  return nullptr;
}

// Pulls the rows up to the loaded position again. Answers rows when done, and end if there is an error in
// `out`: other rows follow than when the position was saved.
PullResult Port::drop_replayed(Context& ctx, Block& out) {
  Demand demand;
  demand.drop = true;
  while (pulled_ < consumed_) {
    demand.rows = static_cast<int>(std::min<int64_t>(kMaxBlockRows, consumed_ - pulled_));
    const PullResult got = next_counted(ctx, demand, block_);
    ErrorPtr error;
    if (got == PullResult::end) error = shorter_than_saved(ctx.session);
    if (got == PullResult::rows) error = lost(block_);
    if (error) {
      lose(error, out);
      return PullResult::end;
    }
    if (got != PullResult::rows) return got;
    block_.rows = 0;
  }
  return PullResult::rows;
}

PullResult Port::next_counted(Context& ctx, const Demand& demand, Block& out) {
  const PullResult got = next(ctx, demand, out);
  if (got != PullResult::rows) return got;
  pulled_ += out.rows;
  values_ += counted_rows(out);
  if (has_lost_memory(out)) [[unlikely]]
    anchors_.skip_one();
  return got;
}

PullResult Port::pull(Context& ctx, const Demand& demand, Block& out) {
  if (mode_ != Mode::pass) {
    if (restore_anchor_ || pulled_ < consumed_) [[unlikely]] {
      PullResult taken_up = take_up(ctx, out);
      if (taken_up == PullResult::end) return PullResult::rows;
      if (taken_up != PullResult::rows) return taken_up;
    }
    if (passes_afterwards_) [[unlikely]]
      pass_on();
    if (mode_ == Mode::keep && stage_ && !position_lost_ && !unconsumed_.kept())
      anchors_.add_if_worth(*ctx.runtime().clock, *stage_, pulled_, values_);
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
  if (!unconsumed_.kept()) [[likely]]
    return next_counted(ctx, demand, out);
  Demand with_values = demand;
  with_values.drop = false;
  with_values.step = 1;
  const PullResult got = next_counted(ctx, with_values, out);
  if (got == PullResult::rows) unconsumed_.add(out, pulled_);
  return got;
}

PullResult Port::fill(Context& ctx, const Demand& demand) {
  if (buffered() > 0) return PullResult::rows;
  begin_ = 0;
  block_.rows = 0;
  const PullResult got = pull(ctx, demand, block_);
  if (got != PullResult::rows) block_.rows = 0;
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
  anchors_.consume_to(consumed_);
  unconsumed_.consume_to(consumed_, pulled_);
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

// Writes the input's state as of the last row consumed: then it gives the rows pulled since.
void Port::save_by_value(Archive& archive) {
  Holding& holding = *archive.holding();
  if (!unconsumed_.complete_from(consumed_)) return holding.fail(out_of_memory());
  if (!stage_ && !open_error_ && !position_lost_) return save_position(archive, *anchors_.oldest(), 0);
  int64_t values = values_ - unconsumed_.rows().values();
  archive("pulled", consumed_);
  archive("values", values);
  if (stage_) holding.unused = unconsumed_.rows();
  save_input(archive);
}

void Port::state(Archive& archive) {
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
    if (unconsumed_.kept() && archive.holding() != nullptr && !restore_anchor_ && pulled_ >= consumed_)
      return save_by_value(archive);
    if (restore_anchor_) return save_position(archive, *restore_anchor_, consumed_);
    return save_position(archive, *anchors_.oldest(), consumed_);
  }
  auto anchor = make_ref<Anchor>();
  archive("consumed", consumed_, 0, kMostCounted);
  anchor->state(archive);
  if (archive.status().ok() && anchor->ordinal > consumed_)
    archive.fail("an anchor lies behind its position");
  if (archive.status().ok()) load_anchor(std::move(anchor), archive);
}

}  // namespace weir
