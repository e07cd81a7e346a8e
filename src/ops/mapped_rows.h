// MappedRows: the rows of a Port with a function applied to them, block by block: what map and a run of maps give.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ops/apply.h"
#include "ops/row_width.h"

namespace weir {

class MappedRows {
 public:
  MappedRows(const Opening& opening, const FunctionParam& function)
      : apply_(opening, function), width_(apply_.function()) {}
  // For another opening; memory stays.
  void restart(const Opening& opening, const FunctionParam& function) { apply_ = Apply(opening, function); }

  PullResult next(Context& ctx, const Demand& demand, Port& input, Block& out) {
    in_.rows = 0;
    Demand wanted = width_.narrowed(demand, apply_.function());
    // A call that may fail needs its argument even if its value is not wanted.
    wanted.drop = demand.drop && !apply_.function().can_fail();
    const PullResult got = input.pull(ctx, wanted, in_);
    if (got != PullResult::rows) return got;
    failed_before_ = static_cast<int64_t>(in_.errors.size());
    if (!wanted.drop) {
      apply_(ctx.session, input.position() - in_.rows, in_, out, demand.drop);
      width_.learn(out);
      return PullResult::rows;
    }
    out.reset(0);
    out.rows = in_.rows;
    std::swap(out.errors, in_.errors);
    out.origins.swap(in_.origins);
    return PullResult::rows;
  }

  // How many rows are lost with an exception of next().
  int64_t lost() const noexcept { return std::max(in_.rows, 1); }
  // How many rows of the last block had failed in the input.
  int64_t failed_before() const { return failed_before_; }

 private:
  Apply apply_;
  RowWidth width_;
  // What the function is applied to.
  Block in_;
  int64_t failed_before_ = 0;
};

}  // namespace weir
