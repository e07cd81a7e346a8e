// CallWindow: calls a function over the rows of a feed, several calls at a time, ahead of its consumer.
//
// One pump pulls blocks from the feed, one block a call; runners, as many as calls may be in flight, take the
// calls in order. A call is one row at first, then 2, 4 … until it takes about 100 microseconds; this depends
// on the clock and never changes a row. Finished calls wait for their turn (ordered) or go as they come.
//
// Ownership: owns feed and function; destroyed, it never waits: the last call in progress lets them go, so
// the function is destroyed after its last call. Threads: next and the destructor by one thread at a time.
// Errors: rows; a row that the feed failed keeps its error and its place. Where there is no memory even to
// say which rows failed, all rows of the call are out of memory. Cost: two locks a call and two a block
// taken; cutting shares buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "exec/feed.h"
#include "exec/pump.h"

namespace weir {

class BlockCall {
 public:
  virtual ~BlockCall() = default;
  // Gives `out` as many rows as `in` has. Rows that `in` lists as failed are to be left alone: their errors
  // are put into `out` afterwards. What it throws becomes the error of the others. Calls run at once on
  // several threads, up to calls_in_flight.
  virtual void run(Context& context, int64_t first_ordinal, Block& in, Block& out) = 0;
};

struct CallWindowOptions {
  // Calls running at once; 0 is the executor's parallelism. On Lane::caller it is 1.
  int calls_in_flight = 0;
  // Rows pulled and not yet taken by the consumer; 0 is 4 times what is in flight, and 16 times once the consumer
  // has waited for them.
  int64_t ahead_rows = 0;
  int64_t max_bytes = int64_t{64} << 20;
  bool ordered = true;
  bool one_row_per_call = false;
  // Columns of a result.
  size_t components = 1;
  // Where the calls run, and where the feed is pulled.
  Lane lane = Lane::compute;
  Lane feed_lane = Lane::compute;
};

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

  // At most demand.rows rows of one finished call. If unordered, marks have no anchor.
  // End and cancelled are final; at the end `mark` has the feed's counts of openings.
  PullResult next(Context& consumer, const Demand& demand, Block& out, Mark& mark);

 private:
  RefPtr<CallCore> core_;
  // The call whose rows are being handed out; the core's.
  WindowCall* front_ = nullptr;
};

}  // namespace weir
