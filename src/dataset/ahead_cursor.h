// AheadCursor: the cursor of every operator that runs one input ahead: prefetch and reading ahead over a
// Window, the parallel map over a CallWindow. The input runs on the Window's pump, the cursor on its
// consumer.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataset/ahead.h"
#include "dataset/holding.h"
#include "exec/scheduler.h"
#include "exec/window.h"

namespace weir {

// Makes the Window over a feed; its pump counts openings from `epochs` on: `std::unique_ptr<Window>
// operator()(Context&, std::unique_ptr<Feed>, EpochTableRef epochs) const`. `int64_t most_bytes() const` is
// what it may hold.
template <class Make>
class AheadCursor final : public AheadOfConsumer {
 public:
  AheadCursor(Opening& opening, DatasetRef input, Make make)
      : input_(opening.inner(std::move(input))),
        make_(std::move(make)),
        stats_(opening.path->stats.load(std::memory_order_relaxed)),
        by_value_(opening.ctx.session.holds_rows() && !opening.node->not_replayable().empty()) {
    Context inside = inside_of(opening.ctx);
    Port port(inside, input_, Port::Mode::keep);
    start(opening.ctx, std::move(port), counts_for_window(opening.ctx, *input_.node));
    if (opening.node->depth() == 0 && opening.ctx.session.scheduler->tuning()->warm_start) window_->start();
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    PullResult got = window_->next(ctx, demand, out, mark_);
    if (got == PullResult::rows) {
      position_.advance(ctx, mark_, out);
      if (mark_.opened) [[unlikely]]
        WEIR_TRY(list_names(ctx, static_cast<const OpenedNames*>(mark_.opened.get())));
    }
    if (got == PullResult::end) position_.finish(ctx, mark_);
    return got;
  }

  void warm_start() noexcept override { window_->start(); }
  int64_t assured() const noexcept override { return window_->assured(); }

  void state(Archive& archive) override {
    if (archive.loading()) {
      saved_.load(archive);
    } else if (by_value_ && archive.holding() != nullptr) {
      paused_state(archive);
    } else {
      position_.save(archive);
    }
  }

  void hold(Holding& holding, HeldRows& rows) override {
    if (!by_value_) return;
    holding.pause(*window_);
    if (!window_->at_rest(holding.waker)) return holding.stop(PullResult::pending);
    std::vector<Block> blocks;
    window_->copy_rows(blocks);
    for (Block& block : blocks) rows.add(std::move(block));
  }

  Step resume(Context& ctx) override {
    EpochScope epochs(ctx.epochs->table());
    if (saved_.has_counts && !epochs.assign(saved_.counts))
      return data_loss("the counts of a position are damaged");
    keep_counts_of(ctx, *input_.node, epochs);
    Context inside = inside_of(ctx);
    inside.epochs = &epochs;
    WEIR_ASSIGN(Port port, Port::open_at(inside, input_, Port::Mode::keep, saved_.input));
    const Saved saved = std::exchange(saved_, {});
    start(ctx, std::move(port), epochs.table(), saved.delivered);
    return PullResult::rows;
  }

 private:
  // Everything that the Window has made counts as given: hold() took it.
  void paused_state(Archive& archive) {
    std::vector<uint64_t> counts = window_->epochs().written();
    archive("counts", counts);
    feed_->port().state(archive);
  }

  // What AheadPosition::save() wrote, or a Port.
  struct Saved {
    std::string input;
    std::vector<uint64_t> counts;
    // If not, nothing ran ahead there, and the counts are those of the whole position.
    bool has_counts = false;
    // Rows that were delivered beyond the position.
    std::vector<RowRange> delivered;

    void load(Archive& archive) {
      has_counts = archive.next_is("counts");
      if (has_counts) archive("counts", counts);
      load_delivered(archive);
      archive.rest(input);
    }
    void load_delivered(Archive& archive) {
      delivered.clear();
      if (!archive.next_is("delivered")) return;
      std::vector<int64_t> bounds;
      archive("delivered", bounds);
      int64_t last = -1;
      for (size_t i = 0; i + 1 < bounds.size(); i += 2) {
        const RowRange range{bounds[i], bounds[i + 1]};
        if (range.begin <= last || range.end <= range.begin) break;
        last = range.end - 1;
        delivered.push_back(range);
      }
      if (2 * delivered.size() != bounds.size())
        archive.fail("the rows that were delivered out of order contradict each other");
    }
  };
  // What the input reads ahead is no more than what the Window may hold.
  Context inside_of(const Context& ctx) const {
    Context inside = ctx;
    inside.ahead_bytes = std::min(inside.ahead_bytes, make_.most_bytes());
    return inside;
  }

  void start(Context& ctx, Port port, EpochTableRef epochs, const std::vector<RowRange>& delivered = {}) {
    position_.start(port, epochs, delivered);
    mark_ = Mark();
    auto feed = std::make_unique<PortFeed>(std::move(port), inside_of(ctx).ahead_bytes, delivered);
    feed_ = feed.get();
    window_ = make_(ctx, std::move(feed), std::move(epochs));
    window_->count_in(stats_);
  }

  Instance input_;
  Make make_;
  StageStats* const stats_;
  AheadPosition position_;
  // Of the rows given last; most of it is the same for the next.
  Mark mark_;
  std::unique_ptr<Window> window_;
  // The Window's.
  PortFeed* feed_ = nullptr;
  // Its rows cannot be made again, and positions hold them.
  const bool by_value_;
  // Loaded, until resume() has opened the input there.
  Saved saved_;
};

struct MakeWindow {
  WindowOptions options;
  int64_t most_bytes() const { return options.max_bytes; }
  std::unique_ptr<Window> operator()(Context& ctx, std::unique_ptr<Feed> feed, EpochTableRef epochs) const {
    return std::make_unique<Window>(ctx.session, std::move(feed), options, std::move(epochs));
  }
};

using WindowCursor = AheadCursor<MakeWindow>;

}  // namespace weir
