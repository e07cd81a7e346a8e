// CallWindow: calls a function over the rows of a feed, several calls at a time, ahead of its consumer.
//
// One pump pulls blocks from the feed, one block per call; runners, as many as calls may be in flight, take
// the calls in order. The first call has one row, then 2, 4 … until a call takes about 100 microseconds; this
// depends on the clock and never changes a row. Finished calls wait for their turn (ordered) or are taken as
// they come.
//
// Owns feed and function. The destructor never waits: the last call in progress releases them, so the
// function is destroyed after its last call. Only one thread at a time may call next or the destructor.
// Errors are rows; a row that failed in the feed keeps its error and its place. If there is no memory even to
// say which rows failed, all rows of the call are out of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/stage_stats.h"
#include "exec/block_call.h"
#include "exec/feed.h"
#include "exec/pump.h"

namespace weir {

class CallCore;
struct WindowCall;

class CallWindow {
 public:
  // Nothing runs before the first next. The feed is called with an EpochScope that starts as `start`.
  CallWindow(Session& session, std::unique_ptr<Feed> feed, std::unique_ptr<BlockCall> function,
             const CallWindowOptions& options, EpochTableRef start);
  ~CallWindow();
  CallWindow(const CallWindow&) = delete;
  CallWindow& operator=(const CallWindow&) = delete;

  // Counts there from now on.
  // REQUIRES: before start() and the first next
  void count_in(StageStats* stats) noexcept;
  // Wakes the pump before the first next.
  void start();
  // Gives at most demand.rows rows of one finished call. End and
  // cancelled are final; at the end `mark` has the feed's counts of openings.
  PullResult next(Context& consumer, const Demand& demand, Block& out, Mark& mark);
  // As Window::assured().
  int64_t assured() const noexcept;

  // As those of Window. The calls of all rows that were pulled are made before it is at rest.
  std::function<void()> pause();
  // No other Window has this while what pause() returned is kept, even if this one has gone.
  const void* identity() const;
  bool at_rest(Waker* waker);
  void copy_rows(std::vector<Block>& out);
  const EpochScope& epochs() const;

 private:
  RefPtr<CallCore> core_;
  // The call whose rows are being taken, owned by the core.
  WindowCall* front_ = nullptr;
  bool gave_whole_ = false;
};

}  // namespace weir
