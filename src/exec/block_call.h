// BlockCall and CallWindowOptions: what a CallWindow calls, and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/stage_stats.h"
#include "exec/feed.h"
#include "exec/pump.h"
#include "exec/tuning.h"

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
  // How many calls run at once; 0: as many as CallTuner finds best, beginning with the executor's
  // parallelism, and never more on Lane::compute. Always 1 on Lane::caller.
  int calls_in_flight = 0;
  // With 0 calls in flight, on Lane::compute: the function may turn out to wait, and goes to Lane::blocking
  // then.
  bool may_wait = false;
  // With 0 calls in flight: where an earlier run ended, or options() says that nothing changes.
  TunerStart start{};
  // Rows pulled and not yet taken by the consumer; 0 is 4 times the rows in flight, and up to 64 times, as
  // calls differ in length, once the consumer has waited for one while others were done.
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

}  // namespace weir
