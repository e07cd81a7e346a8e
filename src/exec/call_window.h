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
#include <memory>

#include "exec/window.h"

namespace weir {

class BlockCall {
 public:
  virtual ~BlockCall() = default;
  // Gives `out` as many rows as `in` has. Leave alone the rows that `in` lists as failed: their errors are
  // put into `out` afterwards. An exception becomes the error of the others. Up to calls_in_flight calls run
  // at once, on several threads.
  virtual void run(Context& context, int64_t first_ordinal, Block& in, Block& out) = 0;
};

struct CallWindowOptions {
  // How many calls run at once; 0: as many as CallPace finds best, beginning with the executor's
  // parallelism, and never more on Lane::compute. Always 1 on Lane::caller.
  int calls_in_flight = 0;
  // With 0 calls in flight, on Lane::compute: the function may turn out to wait, and goes to Lane::blocking
  // then.
  bool may_wait = false;
  // With 0 calls in flight: where an earlier run ended, or options() says that nothing changes.
  TunerStart start{};
  // Rows pulled and not yet taken by the consumer; 0 is 4 times the rows in flight, and 32 times once the
  // consumer has waited for a slow one while others were done.
  int64_t ahead_rows = 0;
  int64_t max_bytes = int64_t{64} << 20;
  bool ordered = true;
  bool one_row_per_call = false;
  // The number of columns of a result.
  size_t components = 1;
  // Where the calls run, and where the feed is pulled.
  Lane lane = Lane::compute;
  Lane feed_lane = Lane::compute;
};

class CallWindow final : public Window {
 public:
  // Nothing runs before the first next. The feed is called with an EpochScope that starts as `start`.
  CallWindow(Session& session, std::unique_ptr<Feed> feed, std::unique_ptr<BlockCall> function,
             const CallWindowOptions& options, EpochTableRef start);

 private:
  RefPtr<WindowCore> make_core() override;
  PullResult make_rows(Context& consumer, const Demand& demand, Block& out, Mark& mark) override;

  const CallWindowOptions options_;
  const std::shared_ptr<BlockCall> function_;
  Block in_;
};

}  // namespace weir
