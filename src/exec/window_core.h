// WindowCore: blocks on their way from a feed to a consumer. It has what prefetching (window.cc) and parallel
// calls (call_core.h) share: the blocks in line, the room that they may take, who waits for whom, pausing and
// closing. The two differ in how a block is made.
//
// The core is the pump that pulls. It pulls while admit() lets it, and stops when there is no room, when the
// feed has no row now, or at the end. It is woken when there is room again, and wakes a waiting consumer when
// a block is at the front of the line.
//
// Invariants:
//   1. Each block is in one place: spare, filling_, being made, in line, or the consumer's.
//   2. A stopped pump is woken once: by whoever finds that there is room (Budget::may_resume).
//   3. Everybody is woken after the lock is released (WakingLock).
//   4. The feed is used by the running thread only. The last pump to be released drops the blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/stage_stats.h"
#include "core/sync.h"
#include "exec/budget.h"
#include "exec/line.h"
#include "exec/partial_block.h"
#include "exec/pump.h"
#include "exec/scheduler.h"
#include "exec/waking_lock.h"
#include "exec/window_waits.h"

namespace weir {

struct WindowBlock {
  virtual ~WindowBlock() = default;

  PartialBlock out;
  // How much of the budget it uses.
  int rows = 0;
  int64_t charged_bytes = 0;
  // `out` has its rows.
  bool done = false;
  WindowBlock* next = nullptr;
};

// How a sequence ended, and the feed's counts of openings then; PullResult::rows while it goes on.
struct WindowEnd {
  PullResult answer = PullResult::rows;
  EpochTableRef epochs;

  // What was cancelled does not end in another way.
  void set(PullResult with, EpochTableRef counts) {
    if (answer != PullResult::cancelled) answer = with;
    epochs = std::move(counts);
  }
};

class WindowCore : public Pump, public LiveWindow {
 public:
  // The consumer's; see Window for the contracts.
  void count_in(StageStats* stats) noexcept;
  PullResult next(Context& consumer, const Demand& demand, Block& out, Mark& mark);
  int64_t assured() const noexcept { return front_ ? front_->out.elements_left() : 0; }
  // The consumer is gone.
  virtual void abandon();
  void pause();
  void resume();
  bool at_rest(Waker* waker);
  void copy_rows(std::vector<Block>& out);
  const EpochScope& epochs() const { return feed_.epochs(); }
  // Before the pump begins.
  void give_feed(GuardedFeed feed) noexcept { feed_ = std::move(feed); }
  // The feed, unless something is under way, or rows are left: then the pump pulls no more.
  std::optional<GuardedFeed> take_feed() noexcept;

 protected:
  // When given rows leave the budget: each at once, or those of a block together, where room for a single row
  // would let the pump pull a block of one row.
  enum class Leave : uint8_t { by_row, by_block };
  WindowCore(Session& session, Lane lane, int64_t max_bytes, Leave leave);

  // How a block is made. The lock is held where nothing else is said.
  virtual std::unique_ptr<WindowBlock> make_block() const { return std::make_unique<WindowBlock>(); }
  // Where the feed's rows go. Without the lock.
  virtual PartialBlock& input(WindowBlock& block) const { return block.out; }
  // Sets how much may be pulled now; false if nothing, and budget_ has stopped.
  virtual bool admit(Demand& demand) noexcept = 0;
  // Takes a block that was pulled: charges the budget and puts it in line. Returns a pump that is to be woken
  // to make its rows; may be null.
  virtual RefPtr<Pump> add(WindowBlock& block) noexcept = 0;
  // True once after each stop, if the pump may go on.
  virtual bool may_resume() noexcept = 0;
  // The consumer found no block: there may be `more`.
  virtual void found_empty(bool more) noexcept = 0;
  // The feed has no row now.
  virtual void feed_waits() noexcept {}
  // The consumer had better make the rows by itself. Without the lock, too.
  virtual bool is_cheap() const noexcept { return false; }
  // A pull and what followed took so long. Without the lock.
  virtual void pulled(int64_t /*ns*/, int /*rows*/) noexcept {}
  // Nothing is made any more. Without the lock.
  virtual void drop_makers() noexcept {}

  After run(bool helping) noexcept final;
  void release() noexcept final;

  // A first block, which any window needs. For the constructors.
  void add_spare() {
    blocks_.push_back(make_block());
    spare_.push(blocks_.back().get());
  }
  // The consumer takes the feed once no row is left. Until then it does not wake the pump.
  bool drains() const { return session().scheduler->alone() || is_cheap(); }
  Clock& clock() const { return *session().runtime.clock; }
  WakingLock locked() { return WakingLock(mutex_, &budget_); }
  // The next block for the consumer; null if none is done.
  // REQUIRES: the lock is held
  WindowBlock* ready() const { return line_.front() && line_.front()->done ? line_.front() : nullptr; }
  // REQUIRES: the lock is held
  bool is_waited_for() const { return static_cast<bool>(consumer_); }
  // Wakes who waits for what is there now.
  // REQUIRES: the lock is held
  void tell(WakingLock& lock) noexcept;
  // There will be no other pull.
  // REQUIRES: the lock is held
  void finish(PullResult answer, EpochTableRef epochs, WakingLock& lock) noexcept;
  // A pump of the window was released.
  void pump_gone() noexcept;

  Mutex mutex_;
  WindowWaits waits_;
  // What was pulled and not given.
  Budget budget_;
  // Blocks in the order in which they are given.
  Line<WindowBlock, &WindowBlock::next> line_;
  // Blocks pulled and not done.
  int making_ = 0;
  // The pumps that have not been released.
  int open_pumps_ = 1;
  bool closed_ = false;

 private:
  PullResult take(Context& consumer, const Demand& demand, Mark& mark);
  void gave(int rows);
  bool begin(Demand& demand) noexcept;
  bool prepare(Demand& demand) noexcept;
  bool find_block() noexcept;
  bool push(Demand& next) noexcept;
  void rest(PullResult answer) noexcept;
  bool rests() const { return !pulling_ && making_ == 0; }

  const Leave leave_;
  GuardedFeed feed_;
  std::vector<std::unique_ptr<WindowBlock>> blocks_;
  // The one that was used last comes first: its memory may still be in a cache.
  Line<WindowBlock, &WindowBlock::next> spare_;
  // What the next pull fills.
  WindowBlock* filling_ = nullptr;
  // The consumer's, which may be partly given; used without the lock.
  WindowBlock* front_ = nullptr;
  WindowEnd end_;
  struct {
    // Of the pull in progress; used by who runs it.
    Drain now;
    // The feed waits until the consumer has taken all and asks for more; it does, which the next pull says.
    bool wanted = false;
    bool empty = false;
    // The last pull found nothing.
    bool pending = false;
  } drain_;
  // The consumer, while it waits.
  RefPtr<Waker> consumer_;
  // A run is in progress, or has more to do.
  bool pulling_ = false;
  // How many saves want it to stop, and one of them that waits for it.
  int pauses_ = 0;
  // The pump would have gone on. One that never began does not begin with the save's end.
  bool woken_in_pause_ = false;
  RefPtr<Waker> saver_;
};

}  // namespace weir
