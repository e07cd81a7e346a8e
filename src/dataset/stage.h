// Stage: the non-virtual wrapper around every cursor.
//
// It does what no operator has to write: the sticky end, error rows (returned or thrown), the operator's path
// on errors and the file and record that a failed row came from, cancellation, resuming after a restore, the
// rule for memory that runs out (Cursor::lose), the counters of core/stage_stats.h, and the scope of saved
// state. It owns the cursor and drops it at the end of the sequence with all it holds. One thread at a time
// may drive it. Errors are rows of `out`, never returned or thrown, and need no memory. A call costs about 5
// ns.
#pragma once

#include <memory>

#include "core/stage_stats.h"
#include "dataset/cursor.h"
#include "dataset/held_rows.h"
#include "dataset/instance.h"

namespace weir {

// The input ends before the rows that the restored position counts.
ErrorPtr shorter_than_saved();
// The same, or that memory ran out where that may be the reason.
ErrorPtr shorter_than_saved(const Session& session);

// The error of a sequence that could not be opened. If memory ran out it does not count as an element: a
// shard that counted it as another shard's would drop the only sign of the loss.
ErrorPtr as_error_of_opening(const ErrorPtr& error) noexcept;

// Writes the state of a stage over `node` that has reached its end.
void write_ended(const Dataset& node, Archive& archive);

class Stage {
 public:
  // A failure to open (say, a parameter out of range at run time) becomes the stage's only row, an error.
  static std::unique_ptr<Stage> open(Context& ctx, Instance instance);
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage();

  // Opens it again for other variables and another key, and reuses its memory. Returns false, and must be
  // replaced, unless it is one of `node` inside a function's scope and its cursor can be restarted.
  // REQUIRES: it has the same path, and its rows are no longer needed
  bool reopen(Context& ctx, const Dataset& node, const EnvRef& env, uint64_t key);

  PullResult next(Context& ctx, const Demand& demand, Block& out) noexcept;
  // As Cursor::assured().
  int64_t assured() const noexcept { return cursor_ && !owes_ && !saved_state_ ? cursor_->assured() : 0; }
  // Lets what runs ahead begin before the first next(); does nothing for a loaded position.
  void warm_start() noexcept {
    if (auto* ahead = dynamic_cast<AheadOfConsumer*>(cursor_.get()); ahead && !saved_state_)
      ahead->warm_start();
  }
  // Writes the position, or stores the loaded one for the next call of next().
  void state(Archive& archive);

  // Copies the state of a stage over `node` from one archive to another.
  static void copy_state(const Dataset& node, Archive& from, Archive& to);

  const Dataset& node() const { return *node_; }
  // How many elements it has given since it was opened, if anything is counted.
  int64_t delivered() const noexcept { return live_.rows.load(std::memory_order_relaxed); }

 private:
  Stage(DatasetRef node, PathRef path);
  struct Again;

  void open_cursor(Opening& opening);
  void report(Context& ctx) const;
  void count_in(StatsTree* tree) noexcept;
  PullResult next_row(Context& ctx, const Demand& demand, Block& out) noexcept;
  PullResult next_measured(Context& ctx, const Demand& demand, Block& out) noexcept;
  PullResult pull(Context& ctx, const Demand& demand, Block& out);
  PullResult fail(Context& ctx, const ErrorPtr& error, Block& out) noexcept;
  bool lose(Context& ctx, Block& out) noexcept;
  PullResult give_owed(Context& ctx, const Demand& demand, Block& out) noexcept;
  PullResult resume(Context& ctx, Block& out);
  PullResult give_up(Context& ctx, const ErrorPtr& error, Block& out) noexcept;
  void add_places(Context& ctx, Block& out) noexcept;
  ErrorPtr placed(Session& session, const ErrorPtr& error, Origin origin) noexcept;
  PullResult finish();
  void hold_rows(Holding& holding, HeldRows& rows);
  HeldRows kept_rows();
  std::string cursor_state(Archive& archive);

  DatasetRef node_;
  PathRef path_;
  std::unique_ptr<Cursor> cursor_;
  // What opening it again takes; null if that cannot be.
  std::unique_ptr<Again> again_;
  // Null if nothing is counted.
  StageStats* stats_ = nullptr;
  LiveStage live_;
  ErrorPtr open_error_;
  // The last error without an origin, as it came and with its place.
  ErrorPtr unplaced_error_;
  ErrorPtr placed_error_;
  bool ended_ = false;
  // Errors or rows come before what the cursor gives next.
  bool owes_ = false;
  // Rows that were lost together with the one given as `repeated_error_`; each still owes its error.
  int64_t repeat_errors_ = 0;
  ErrorPtr repeated_error_;
  // Null, or rows that were loaded by value: those that come next, and those for the cursor to take back.
  std::unique_ptr<HeldRows> held_;
  std::unique_ptr<HeldRows> kept_;
  // The loaded state, until the cursor has resumed it.
  std::unique_ptr<std::string> saved_state_;
  bool cursor_has_state_ = false;
};

}  // namespace weir
