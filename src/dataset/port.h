// Port: how a cursor reads an input. It pulls blocks, hands out rows, counts rows pulled and consumed, and
// keeps the anchors from which unconsumed rows can be made again.
//
// Three modes. `pass`: the operator leaves no row unconsumed between calls, so the Port's state is its
// input's. `keep`: before some pulls the Port writes an anchor (ordinal + the bytes of the input's state), as
// often as costs at most one percent of the time; its state is the anchor before the oldest unconsumed row
// and how far rows were consumed. Restoring opens the input at the anchor and drops rows up to there: same
// rows, not same blocks; an input that ends before it got there gives one error. `whole`: the operator needs
// all of its input at once (reduce), so the only anchor is the opening. Ownership: owns the input's Stage.
// Threads: the cursor's driver. Errors: rows, also where memory runs out: an input that cannot be opened is
// one error, a position that cannot be taken up one and the end, an anchor that cannot be written waits.
// Cost: pass adds about 2 ns a pull; keep adds a comparison a
// pull and the anchors.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "dataset/openings.h"
#include "dataset/stage.h"

namespace weir {

// A written-down position of an input: rows from `ordinal` on can be made again from it.
struct AnchorFields {
  int64_t ordinal = 0;
  // Elements before it, as Port::values() counts them.
  int64_t values = 0;
  // The input's state; absent in an anchor at a fresh opening.
  bool fresh = false;
  std::string bytes;
  // Of a position: the openings made between the anchor and it, as Openings writes them.
  std::vector<uint64_t> openings;

  void state(Archive& archive);
};

class Anchor : public RefCounted, public AnchorFields {
 public:
  Anchor() = default;
  explicit Anchor(AnchorFields fields) : AnchorFields(std::move(fields)) {}
};
using AnchorRef = RefPtr<const Anchor>;

class Port {
 public:
  enum class Mode : uint8_t { pass, keep, whole };
  enum class Opens : uint8_t { now, at_first_pull };

  // Opens input `index` of the operator.
  Port(Opening& opening, int index, Mode mode, Opens opens = Opens::now);
  Port(Context& ctx, Instance instance, Mode mode, Opens opens = Opens::now);
  // The same at a position that state() wrote, whose openings are counted already.
  static Result<Port> open_at(Context& ctx, Instance instance, Mode mode, std::string_view saved);
  Port(Port&&) = default;
  Port& operator=(Port&&) = default;

  // Pulls a block straight into `out`. REQUIRES: no rows buffered. Throws nothing.
  PullResult pull(Context& ctx, const Demand& demand, Block& out);

  // Makes sure that a row is buffered (pulls at most `demand`), for operators that take rows piecewise.
  PullResult fill(Context& ctx, const Demand& demand);
  // Where the next fill() should write a column, if what makes it can: batch's own buffer.
  void bind_target(size_t column, BufferRef buffer, uint8_t* data, size_t bytes) {
    if (block_.columns.size() <= column) block_.columns.resize(column + 1);
    block_.columns[column].bind_target(std::move(buffer), data, bytes);
  }
  int buffered() const { return block_.rows - begin_; }
  const Block& block() const { return block_; }
  int begin() const { return begin_; }
  // Steps over buffered rows. They stay unconsumed until consume_to() passes them.
  void take(int count) { begin_ += count; }
  // Takes buffered rows: their columns become those of `out` from `first` on, if it has any, their errors its
  // errors.
  void take_into(Block& out, size_t first, int count);

  // The number of the next row to be taken, errors included, since the input was opened. While rows are
  // dropped after a restore that is still the saved one.
  int64_t position() const { return std::max(pulled_, consumed_) - buffered(); }
  // Rows before `ordinal` will never be needed again. Keep mode.
  void consume_to(int64_t ordinal);
  void consume_all() { consume_to(position()); }
  int64_t consumed() const { return consumed_; }
  // Elements pulled so far: rows but those that failed for another reason than memory.
  int64_t values() const { return values_; }

  // Saves and loads; loading only keeps. After loading, position() is consumed() of the saved one.
  void state(Archive& archive);
  // Opens the input again, from its beginning, under another key, as an epoch does.
  void reopen(Context& ctx, uint64_t key);
  // After loading: opens the input under the key of the epoch that the loaded position belongs to, and keeps
  // it.
  void restore_under(Context& ctx, uint64_t key);

  // The newest anchor at or before the last pull, with the openings made since, for Windows, whose ring
  // entries carry it. Keep mode.
  const AnchorRef& last_anchor();
  const Dataset& node() const { return *instance_.node; }
  // Saves a position that a Window's consumer has reached, and loads one.
  static void save_position(Archive& archive, const Anchor& anchor, int64_t consumed);

 private:
  // An anchor, and what was opened after it and before the next one.
  struct AnchorPoint {
    AnchorRef anchor;
    Openings openings;
  };

  void start_over();
  void open(Context& ctx);
  // The same; where it throws, the error takes the place of the rows.
  void try_open(Context& ctx) noexcept;
  PullResult next(Context& ctx, const Demand& demand, Block& out);
  PullResult take_up(Context& ctx, Block& out) noexcept;
  Status restore(Context& ctx);
  PullResult drop_replayed(Context& ctx, Block& out);
  void lose(const ErrorPtr& error, Block& out) noexcept;
  void anchor_if_due(Context& ctx) noexcept;
  void write_anchor();
  void thin_anchors();

  Mode mode_;
  Instance instance_;
  std::unique_ptr<Stage> stage_;

  Block block_;
  int begin_ = 0;
  int64_t pulled_ = 0;
  int64_t values_ = 0;
  int64_t consumed_ = 0;

  // Oldest first; the first is at or before consumed_, every later one too unless an unconsumed row needs it.
  std::vector<AnchorPoint> anchors_;
  // Openings of the loaded position that are still to be made again.
  Openings replay_openings_;
  // What last_anchor() gave, and how many openings there were then.
  AnchorRef place_;
  uint64_t place_changes_ = 0;
  int64_t next_anchor_ = 0;
  // Rows between anchors at the least, so that they stay few however many rows are unconsumed.
  int64_t anchor_gap_ = 1;
  int64_t anchored_at_ns_ = 0;
  // The loaded anchor, until the input has been opened at it and the rows up to consumed_ are dropped.
  AnchorRef restore_anchor_;
  // The input could not be opened: the error that is its only row, until it was given.
  ErrorPtr open_error_;
  // The loaded position could not be taken up, or the input not be opened, and the error that says so was
  // given.
  bool position_lost_ = false;
};

}  // namespace weir
