// Window: a bounded queue of blocks, in order, that a pump fills ahead of the consumer.
//
// The pump pulls while there is room and returns when there is none, when the feed has no row now, or at the
// end. It is woken as soon as a row is taken from a full window, or a quarter of one that tunes its size, and
// wakes a waiting consumer with the first block. A row leaves the budget when it is taken, its bytes when the
// last row of its block is. One row is always admitted, so that a row larger than max_bytes passes; the bytes
// stay below max_bytes plus one row.
//
// While only waiting threads make rows (Scheduler::makes_here), or rows are cheaper than waking a thread
// (exec/pace.h), there is neither pump nor queue: the consumer makes the rows inline, when it needs them.
//
// Owns feed and blocks. The destructor never waits: a running pump destroys the feed on its way out. Only one
// thread at a time may call next or the destructor.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/stage_stats.h"
#include "exec/feed.h"
#include "exec/partial_block.h"
#include "exec/pump.h"
#include "exec/tuning.h"

namespace weir {

struct WindowOptions {
  // REQUIRES: all at least 1
  int64_t max_rows = 1;
  // With that many the window begins, and finds by itself how many it needs (exec/pace.h); 0:
  // max_rows.
  int64_t first_rows = 0;
  // Where an earlier run ended, or options() says that nothing changes.
  TunerStart start{};
  int64_t max_bytes = int64_t{8} << 20;
  // Rows that the pump asks for at once; the first pulls ask for 1, 2, 4 … so that the first row comes soon.
  // May exceed kMaxBlockRows where the operator below gives views of what it has read.
  int block_rows = 64;
  // Null, or how many rows the windows of one operator make inline at first: what the last one found.
  std::shared_ptr<std::atomic<int>> rows_inline;
  // Where the pump runs; not `caller` unless the feed calls back into the host.
  Lane lane = Lane::compute;
};

class WindowCore;

class Window {
 public:
  // Nothing runs before the first next. The feed is called with an EpochScope that starts as `start`.
  Window(Session& session, std::unique_ptr<Feed> feed, const WindowOptions& options, EpochTableRef start);
  virtual ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Counts there from now on.
  // REQUIRES: before start() and the first next
  void count_in(StageStats* stats) noexcept;
  // Wakes the pump before the first next.
  void start();
  // Gives at most demand.rows rows of the oldest block. End and cancelled are final; at the end `mark` has
  // the feed's counts of openings.
  PullResult next(Context& consumer, const Demand& demand, Block& out, Mark& mark);
  // How many of the next rows are there already, and elements: next() gives as many, without pending.
  int64_t assured() const noexcept;

  // Stops the pump at its next pull, until the function that is returned is called, once, on any thread; the
  // Window may have gone by then. All rows that were pulled are made before it is at rest.
  std::function<void()> pause();
  // No other Window has this while what pause() returned is kept, even if this one has gone.
  const void* identity();
  // Returns true if a paused pump has stopped, so that the feed is idle; else `waker` is woken when it has.
  bool at_rest(Waker* waker);
  // Adds the rows that were not given yet, in order.
  // REQUIRES: at_rest()
  void copy_rows(std::vector<Block>& out);
  // What the feed was called with.
  // REQUIRES: at_rest()
  const EpochScope& epochs() const;

 protected:
  // `most_inline`: how many rows a consumer makes at once.
  Window(Session& session, std::unique_ptr<Feed> feed, EpochTableRef start, int most_inline);
  // What the rows are made with on other threads.
  virtual RefPtr<WindowCore> make_core();
  // Makes rows on this thread.
  virtual PullResult make_rows(Context& consumer, const Demand& demand, Block& out, Mark& mark);
  // For make_rows(), which answers pending then: all of them are errors, given one by one.
  void lose_rows(int rows, const Mark& mark) noexcept;

  Session& session_;
  StageStats* stats_ = nullptr;

 private:
  PullResult make_inline(Context& consumer, const Demand& demand, Block& out, Mark& mark);
  void measured(int64_t took_ns, int rows);
  WindowCore& core();
  bool try_core() noexcept;
  bool take_feed() noexcept;

  WindowOptions options_;
  // Null while the consumer makes the rows; then it has the feed.
  RefPtr<WindowCore> core_;
  GuardedFeed feed_;
  // What was made inline and not given.
  PartialBlock front_;
  std::optional<EpochTableRef> ended_;
  int most_inline_;
  // Null: whether the rows are cheap does not matter.
  std::shared_ptr<FeedCost> cost_;
  // So many rows are made at once; doubled while they take little time.
  int rows_inline_ = 1;
  int64_t row_bytes_ = 1;
  // How many the feed gave of more than the consumer wanted.
  int given_ = 0;
  // Nothing is made that is not asked for.
  bool limits_memory_ = false;
  // So many more times nothing is measured.
  int unmeasured_ = 0;
};

}  // namespace weir
