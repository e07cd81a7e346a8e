// Port: how a cursor reads an input. It pulls blocks, returns rows, counts rows pulled and consumed, and
// keeps the anchors from which unconsumed rows can be replayed.
//
// There are three modes:
// - `pass`: the operator leaves no row unconsumed between calls, so the Port's state is its input's. Costs
//   about 2 ns per pull.
// - `keep`: before some pulls the Port records an anchor (dataset/anchors.h). Its state is the anchor before
// the oldest unconsumed row
//   and the number of consumed rows. Restoring opens the input at the anchor and drops rows up to that point:
//   the same rows, not the same blocks; an input that ends too early is one error.
// - `keep` over an input whose rows cannot be made again, if positions contain rows by value: instead of
//   anchors the Port keeps the unconsumed rows. Its state is its input's, which then begins with those rows.
// - `whole`: the operator needs all of its input at once (reduce), so the only anchor is the opening.
//
// Owns the input's Stage; only the cursor's driver may use it. Errors are rows, also when memory runs out: an
// input that cannot be opened is one error, a position that cannot be resumed one error and the end, and an
// anchor that cannot be recorded is recorded later.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "dataset/anchors.h"
#include "dataset/stage.h"
#include "dataset/unconsumed_rows.h"

namespace weir {

class Port {
 public:
  enum class Mode : uint8_t { pass, keep, whole };
  enum class Opens : uint8_t { now, at_first_pull };

  static Opens opens_if(bool now) { return now ? Opens::now : Opens::at_first_pull; }

  // Opens input `index` of the operator.
  Port(Opening& opening, int index, Mode mode, Opens opens = Opens::now);
  Port(Context& ctx, Instance instance, Mode mode, Opens opens = Opens::now);
  // Opens the input again as the constructors do, with the memory that the Port has. The operator is the
  // same, at the same place; `node` is its input, or what it reads as if it were its only one, under `env`.
  void restart(Opening& opening, const DatasetRef& node, const EnvRef& env, Mode mode,
               Opens opens = Opens::now);
  // The same for input `index`.
  void restart(Opening& opening, int index, Mode mode, Opens opens = Opens::now) {
    restart(opening, opening.node->inputs()[static_cast<size_t>(index)], opening.env, mode, opens);
  }
  // Opens the input at a position that state() wrote, whose openings are already counted.
  static Result<Port> open_at(Context& ctx, Instance instance, Mode mode, std::string_view saved);
  // Out of line, since every operator would have its own copies.
  Port(Port&&) noexcept;
  Port& operator=(Port&&) noexcept;
  ~Port();

  // Pulls a block straight into `out`. Does not throw.
  // REQUIRES: no rows buffered.
  PullResult pull(Context& ctx, const Demand& demand, Block& out);

  // Pulls at most `demand` unless a row is buffered, for operators that take rows piecewise.
  PullResult fill(Context& ctx, const Demand& demand);
  // Says where the next fill() should write a column, if its producer can: batch's own buffer.
  void bind_target(size_t column, BufferRef buffer, uint8_t* data, size_t bytes) {
    if (block_.columns.size() <= column) block_.columns.resize(column + 1);
    block_.columns[column].bind_target(std::move(buffer), data, bytes);
  }
  int buffered() const { return block_.rows - begin_; }
  const Block& block() const { return block_; }
  int begin() const { return begin_; }
  // Steps over buffered rows, which stay unconsumed until consume_to() passes them.
  void take(int count) { begin_ += count; }
  // Takes buffered rows. Their columns, if any, become those of `out` from `first` on, their errors its
  // errors.
  void take_into(Block& out, size_t first, int count);

  // The number of the next row to be taken, errors included, since the input was opened. While rows are
  // dropped after a restore, it is still the saved one.
  int64_t position() const { return std::max(pulled_, consumed_) - buffered(); }
  // Rows before `ordinal` will never be needed again. Changes nothing in pass mode.
  void consume_to(int64_t ordinal);
  void consume_all() { consume_to(position()); }
  int64_t consumed() const { return consumed_; }
  // The elements pulled so far: all rows except those that failed for other reasons than memory.
  int64_t values() const { return values_; }
  // What is assured (Cursor::assured) of the input's next rows, for an operator that passes them on.
  int64_t assured() const noexcept {
    return mode_ == Mode::pass && stage_ && buffered() == 0 && !position_lost_ ? stage_->assured() : 0;
  }

  // Saves and loads; loading only stores the state. After loading, position() is the saved consumed().
  void state(Archive& archive);
  // Saves and loads the position of an operator that reads the input through other operators that only pass
  // rows on, those of the names `between`, without stages of their own. False, and nothing is loaded, if they
  // wrote something else.
  // REQUIRES: pass mode, nothing pulled before loading
  bool state_through(Archive& archive, std::span<const char* const> between);
  // Opens the input again from its beginning under another key, as for a new epoch.
  void reopen(Context& ctx, uint64_t key);
  // While an operator takes rows again after a restore: the error in a block just pulled, or if it was put
  // there by fill(), because of which other rows follow than before. Null if there is none.
  static ErrorPtr lost(const Block& block);
  ErrorPtr lost() const { return lost(block_); }
  // Called after loading: opens the input under the key of the loaded position's epoch and keeps that
  // position.
  void restore_under(Context& ctx, uint64_t key);

  // As Stage::warm_start.
  void warm_start() noexcept {
    if (stage_) stage_->warm_start();
  }
  // The newest anchor at or before the last pull, with the openings made since, for the ring entries of
  // Windows.
  // REQUIRES: keep mode
  const AnchorRef& last_anchor() { return restore_anchor_ ? restore_anchor_ : anchors_.newest(); }
  const Dataset& node() const { return *instance_.node; }
  // Saves a position that a Window's consumer has reached, and loads one.
  static void save_position(Archive& archive, const Anchor& anchor, int64_t consumed);

 private:
  void save_input(Archive& archive);
  void load_passed(Archive& archive);
  void save_by_value(Archive& archive);
  // Nothing is replayed from an anchor, so openings need no numbers.
  bool logs_nothing() const {
    return mode_ == Mode::pass || !node().may_list_openings() ||
           (unconsumed_.kept() && !anchors_.repeats_openings());
  }
  void load_anchor(RefPtr<Anchor> anchor, Archive& archive);
  void pass_on();
  void start_over();
  void open(Context& ctx);
  void open_stage(Context& ctx);
  // Like open(), but an exception becomes an error in place of the rows.
  void try_open(Context& ctx) noexcept;
  PullResult next(Context& ctx, const Demand& demand, Block& out);
  PullResult take_up(Context& ctx, Block& out) noexcept;
  Status restore(Context& ctx);
  Status open_saved(Context& ctx, const Anchor& anchor);
  PullResult drop_replayed(Context& ctx, Block& out);
  PullResult next_counted(Context& ctx, const Demand& demand, Block& out);
  void lose(const ErrorPtr& error, Block& out) noexcept;

  Mode mode_;
  // A pass Port that keeps anchors until it has taken up a position that a Window saved.
  bool passes_afterwards_ = false;
  Instance instance_;
  std::unique_ptr<Stage> stage_;

  Block block_;
  int begin_ = 0;
  int64_t pulled_ = 0;
  int64_t values_ = 0;
  int64_t consumed_ = 0;

  Anchors anchors_;
  // The loaded anchor, until the input is open at it and the rows up to consumed_ have been dropped.
  AnchorRef restore_anchor_;
  // The input could not be opened; this error is its only row, until it has been given.
  ErrorPtr open_error_;
  // The position could not be resumed or the input not opened, and the error has been given.
  bool position_lost_ = false;
  UnconsumedRows unconsumed_;
};

}  // namespace weir
