#include "dataset/port.h"

#include <algorithm>

namespace weir {

namespace {

// Anchors may cost one part in this many of the time that passes.
constexpr int64_t kAnchorShare = 256;
constexpr int64_t kMaxAnchorRows = int64_t{1} << 20;
// Inputs shorter than this are made again from their beginning.
constexpr int64_t kFirstAnchorRows = 32;
// More anchors than this are thinned.
constexpr size_t kMaxAnchors = 256;

// The error in a block after which a restored input gives no more of the rows that it gave before, or null.
ErrorPtr lost_position(const Block& block) {
  for (const RowError& error : block.errors) {
    if (error.error->position_lost) return error.error;
  }
  return nullptr;
}

}  // namespace

void Anchor::state(Archive& archive) {
  archive("ordinal", ordinal, 0, INT64_MAX);
  archive("values", values, 0, ordinal);
  archive("fresh", fresh);
  archive("bytes", bytes);
  archive("epochs", epochs);
}

Port::Port(Opening& opening, int index, Mode mode)
    : Port(opening.ctx, opening.node.inputs()[static_cast<size_t>(index)], opening.env, opening.key,
           opening.path, opening.node.inputs().size() > 1 ? index : -1, mode) {}

Port::Port(Context& ctx, DatasetRef node, EnvRef env, uint64_t key, PathRef parent, int index, Mode mode)
    : mode_(mode),
      node_(std::move(node)),
      env_(std::move(env)),
      key_(key),
      parent_(std::move(parent)),
      index_(index) {
  open(ctx);
}

Result<Port> Port::open_at(Context& ctx, DatasetRef node, EnvRef env, uint64_t key, PathRef parent, int index,
                           Mode mode, std::string_view saved) {
  EpochTableRef counts = ctx.epochs->table();
  Port port(ctx, std::move(node), std::move(env), key, std::move(parent), index, mode);
  *ctx.epochs = EpochScope(std::move(counts));
  Archive archive(saved);
  port.state(archive);
  archive.finish();
  if (!archive.status().ok()) return archive.status();
  return port;
}

void Port::open(Context& ctx) {
  if (mode_ != Mode::pass) {
    auto anchor = make_ref<Anchor>();
    anchor->fresh = true;
    if (!node_->epoch_nodes().empty()) anchor->epochs = ctx.epochs->counts(node_->epoch_nodes());
    anchors_.clear();
    anchors_.push_back(std::move(anchor));
    next_anchor_ = kFirstAnchorRows;
  }
  stage_ = Stage::open(ctx, node_, env_, key_, parent_, index_);
}

void Port::reopen(Context& ctx, uint64_t key) {
  key_ = key;
  block_.rows = 0;
  begin_ = 0;
  pulled_ = values_ = consumed_ = 0;
  lost_ = false;
  stage_.reset();
  open(ctx);
}

void Port::restore_under(Context& ctx, uint64_t key) {
  // The position that was loaded counts its own openings already.
  std::vector<uint64_t> counts = ctx.epochs->counts(node_->epoch_nodes());
  Archive saved;
  state(saved);
  std::string bytes = saved.take();
  reopen(ctx, key);
  Archive loaded(bytes);
  state(loaded);
  ctx.epochs->assign(node_->epoch_nodes(), counts);
}

void Port::anchor_if_due(Context& ctx) {
  if (pulled_ < next_anchor_ || mode_ == Mode::whole) return;
  Clock& clock = *ctx.runtime().clock;
  int64_t begin_ns = clock.now_ns();
  int64_t rows = pulled_ - anchors_.back()->ordinal;
  auto anchor = make_ref<Anchor>();
  anchor->ordinal = pulled_;
  anchor->values = values_;
  Archive archive;
  stage_->state(archive);
  anchor->bytes = archive.take();
  anchor->epochs = ctx.epochs->counts(node_->epoch_nodes());
  anchors_.push_back(std::move(anchor));
  int64_t end_ns = clock.now_ns();
  // The rows since the last anchor took this long; so many more pay for another one.
  int64_t elapsed_ns = std::max<int64_t>(1, begin_ns - anchored_at_ns_);
  int64_t cost_ns = std::max<int64_t>(1, end_ns - begin_ns);
  double due = anchored_at_ns_ == 0 ? 64.0
                                    : static_cast<double>(rows) * static_cast<double>(cost_ns) *
                                          kAnchorShare / static_cast<double>(elapsed_ns);
  if (anchors_.size() > kMaxAnchors) thin_anchors();
  next_anchor_ = pulled_ + std::clamp(static_cast<int64_t>(std::min(due, 1e12)), anchor_gap_, kMaxAnchorRows);
  anchored_at_ns_ = end_ns;
}

// Keeps every other anchor, the first and the last among them.
void Port::thin_anchors() {
  size_t kept = 1;
  for (size_t i = 2; i + 1 < anchors_.size(); i += 2) anchors_[kept++] = std::move(anchors_[i]);
  anchors_[kept++] = std::move(anchors_.back());
  anchors_.resize(kept);
  int64_t span = anchors_.back()->ordinal - anchors_.front()->ordinal;
  anchor_gap_ = std::min(kMaxAnchorRows, 2 * span / static_cast<int64_t>(kMaxAnchors) + 1);
}

void Port::restore(Context& ctx) {
  AnchorRef anchor = loaded_;
  if (anchor->fresh) {
    ctx.epochs->assign(node_->epoch_nodes(), anchor->epochs);
    stage_.reset();
    stage_ = Stage::open(ctx, node_, env_, key_, parent_, index_);
  } else {
    ctx.epochs->assign(node_->epoch_nodes(), anchor->epochs);
  }
  anchors_.clear();
  anchors_.push_back(std::move(anchor));
  pulled_ = anchors_.back()->ordinal;
  values_ = anchors_.back()->values;
  next_anchor_ = std::max(consumed_, pulled_) + kFirstAnchorRows;
  loaded_ = nullptr;
}

// Answers rows when done, and end for an error in `out`: the input does not get as far as it had.
Pull Port::drop_replayed(Context& ctx, Block& out) {
  Want want;
  want.drop = true;
  while (pulled_ < consumed_) {
    want.rows = static_cast<int>(std::min<int64_t>(kMaxBlockRows, consumed_ - pulled_));
    Pull got = stage_->next(ctx, want, block_);
    if (got == Pull::pending || got == Pull::cancelled) return got;
    if (ErrorPtr error = got == Pull::end ? shorter_than_saved() : lost_position(block_)) {
      // It takes the place of the next row.
      pulled_ = consumed_ + 1;
      lost_ = true;
      block_.rows = 0;
      out.set_error(std::move(error), node_->components().size());
      return Pull::end;
    }
    pulled_ += block_.rows;
    values_ += block_.value_rows();
    block_.rows = 0;
  }
  return Pull::rows;
}

Pull Port::pull(Context& ctx, const Want& want, Block& out) {
  if (mode_ != Mode::pass) {
    if (loaded_) [[unlikely]]
      restore(ctx);
    if (pulled_ < consumed_) [[unlikely]] {
      Pull dropped = drop_replayed(ctx, out);
      if (dropped == Pull::end) return Pull::rows;
      if (dropped != Pull::rows) return dropped;
    }
    if (lost_) [[unlikely]]
      return Pull::end;
    anchor_if_due(ctx);
  }
  Pull got = stage_->next(ctx, want, out);
  if (got == Pull::rows) {
    pulled_ += out.rows;
    values_ += out.value_rows();
  }
  return got;
}

Pull Port::fill(Context& ctx, const Want& want) {
  if (buffered() > 0) return Pull::rows;
  begin_ = 0;
  block_.rows = 0;
  Pull got = pull(ctx, want, block_);
  if (got != Pull::rows) block_.rows = 0;
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
  for (const RowError& error : block_.errors) {
    if (error.row >= begin_ && error.row < begin_ + count) out.fail_row(error.row - begin_, error.error);
  }
  take(count);
}

void Port::consume_to(int64_t ordinal) {
  // While the rows up to consumed_ are dropped after a restore, position() lies before it.
  consumed_ = std::max(consumed_, ordinal);
  // The first anchor stays the last one at or before the oldest unconsumed row.
  while (anchors_.size() > 1 && anchors_[1]->ordinal <= consumed_) anchors_.pop_front();
}

void Port::save_position(Archive& archive, const Anchor& anchor, int64_t consumed) {
  Anchor copy_of_fields;
  copy_of_fields.ordinal = anchor.ordinal;
  copy_of_fields.values = anchor.values;
  copy_of_fields.fresh = anchor.fresh;
  copy_of_fields.bytes = anchor.bytes;
  copy_of_fields.epochs = anchor.epochs;
  archive("consumed", consumed);
  copy_of_fields.state(archive);
}

void Port::state(Archive& archive) {
  if (mode_ == Mode::pass) {
    archive("pulled", pulled_, 0, INT64_MAX);
    archive("values", values_, 0, pulled_);
    stage_->state(archive);
    return;
  }
  if (!archive.loading()) {
    save_position(archive, loaded_ ? *loaded_ : *anchors_.front(), consumed_);
    return;
  }
  auto anchor = make_ref<Anchor>();
  archive("consumed", consumed_, 0, INT64_MAX);
  anchor->state(archive);
  if (archive.status().ok() && anchor->ordinal > consumed_)
    archive.fail("an anchor lies behind its position");
  if (!archive.status().ok()) return;
  if (!anchor->fresh) {
    Archive input(anchor->bytes);
    stage_->state(input);
    input.finish();
    if (!input.status().ok()) return archive.fail(input.status().error().message);
  }
  block_.rows = 0;
  begin_ = 0;
  pulled_ = consumed_;
  lost_ = false;
  loaded_ = std::move(anchor);
}

}  // namespace weir
