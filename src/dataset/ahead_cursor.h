// AheadCursor: the cursor of every operator that runs one input ahead: prefetch and reading ahead over a
// Window, the parallel map over a CallWindow. The input runs on the Window's pump, the cursor on its consumer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dataset/ahead.h"
#include "dataset/holding.h"
#include "dataset/settling.h"
#include "exec/window.h"

namespace weir {

// Makes the Window over a feed; its pump counts openings from `epochs` on: `std::unique_ptr<W>
// operator()(Context&, std::unique_ptr<Feed>, EpochTableRef epochs) const`.
template <class W, class Make>
class AheadCursor final : public Cursor {
 public:
  AheadCursor(Opening& opening, DatasetRef input, Make make)
      : input_(opening.inner(std::move(input))),
        make_(std::move(make)),
        by_value_(opening.ctx.session.holds_rows() && !opening.node->not_replayable().empty()) {
    Port port(opening.ctx, input_, Port::Mode::keep);
    start(opening.ctx, std::move(port), counts_for_window(opening.ctx, *input_.node));
  }

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    Mark mark;
    PullResult got = window_->next(ctx, demand, out, mark);
    if (got == PullResult::rows) position_.advance(ctx, mark, out);
    if (got == PullResult::end) position_.finish(ctx, mark);
    return got;
  }

  void state(Archive& archive) override {
    if (archive.loading()) {
      // Without counts it was saved where nothing ran ahead, and those of the whole position are its own.
      has_counts_ = archive.next_is("counts");
      if (has_counts_) archive("counts", saved_counts_);
      load_delivered(archive);
      archive.rest(saved_input_);
    } else if (archive.settling() != nullptr && input_.node->sites().by_rank) {
      settled_state(archive, *archive.settling());
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
    WEIR_ASSIGN(Port port, Port::open_at(ctx, input_, Port::Mode::keep, saved_input_));
    EpochScope epochs(ctx.epochs->table());
    if (has_counts_ && !epochs.assign(saved_counts_))
      return data_loss("the counts of a position are damaged");
    start(ctx, std::move(port), epochs.table());
    saved_delivered_.clear();
    saved_input_.clear();
    return PullResult::rows;
  }

 private:
  void load_delivered(Archive& archive) {
    saved_delivered_.clear();
    if (!archive.next_is("delivered")) return;
    std::vector<int64_t> bounds;
    archive("delivered", bounds);
    int64_t last = -1;
    for (size_t i = 0; i + 1 < bounds.size(); i += 2) {
      const RowRange range{bounds[i], bounds[i + 1]};
      if (range.begin <= last || range.end <= range.begin) break;
      last = range.end - 1;
      saved_delivered_.push_back(range);
    }
    if (2 * saved_delivered_.size() != bounds.size())
      archive.fail("the rows that were delivered out of order contradict each other");
  }

  // Everything that the Window has made counts as given: hold() took it.
  void paused_state(Archive& archive) {
    std::vector<uint64_t> counts = window_->epochs().written();
    archive("counts", counts);
    feed_->port().state(archive);
  }

  // The Window is ahead of its consumer, so the input is opened a second time, where the consumer is.
  void settled_state(Archive& archive, Settling& settling) {
    if (!settled_) {
      Archive saved;
      position_.save(saved);
      const std::string bytes = saved.take();
      Archive loaded(bytes);
      std::vector<uint64_t> counts;
      std::string position;
      loaded("counts", counts);
      loaded.rest(position);
      EpochScope epochs(settling.ctx->epochs->table());
      if (!epochs.assign(counts))
        return settling.fail(data_loss("the counts of a position are damaged").pointer());
      Context inside = *settling.ctx;
      inside.epochs = &epochs;
      auto port = Port::open_at(inside, input_, Port::Mode::keep, position);
      if (!port.ok()) return settling.fail(port.status().pointer());
      settled_.emplace(Settled{*std::move(port), std::move(counts), epochs.table()});
    }
    EpochScope epochs(settled_->epochs);
    Context inside = *settling.ctx;
    inside.epochs = &epochs;
    Context* const outside = std::exchange(settling.ctx, &inside);
    if (!settling.collects()) archive("counts", settled_->counts);
    settled_->port.state(archive);
    settling.ctx = outside;
  }

  void start(Context& ctx, Port port, EpochTableRef epochs) {
    position_.start(port, epochs, saved_delivered_);
    auto feed = std::make_unique<PortFeed>(std::move(port), saved_delivered_);
    feed_ = feed.get();
    window_ = make_(ctx, std::move(feed), std::move(epochs));
  }

  struct Settled {
    Port port;
    std::vector<uint64_t> counts;
    EpochTableRef epochs;
  };

  Instance input_;
  Make make_;
  AheadPosition position_;
  std::optional<Settled> settled_;
  std::unique_ptr<W> window_;
  // The Window's.
  PortFeed* feed_ = nullptr;
  // Its rows cannot be made again, and positions hold them.
  const bool by_value_;
  std::string saved_input_;
  std::vector<uint64_t> saved_counts_;
  // What was delivered beyond the position.
  std::vector<RowRange> saved_delivered_;
  bool has_counts_ = false;
};

struct MakeWindow {
  WindowOptions options;
  std::unique_ptr<Window> operator()(Context& ctx, std::unique_ptr<Feed> feed, EpochTableRef epochs) const {
    return std::make_unique<Window>(ctx.session, std::move(feed), options, std::move(epochs));
  }
};

using WindowCursor = AheadCursor<Window, MakeWindow>;

}  // namespace weir
