// MappedRows: the rows of a Port with a function applied to them, block by block: what map and a run of maps
// give.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "expr/compile/composed_function.h"
#include "ops/functions/apply.h"
#include "ops/functions/row_width.h"

namespace weir {

class MappedRows {
 public:
  MappedRows(const Opening& opening, const FunctionParam& function)
      : apply_(opening, function),
        width_(apply_.function()),
        thins_(only_computes(apply_.function()) && !apply_.function().can_fail()) {}
  // For another opening; memory stays.
  void restart(const Opening& opening, const FunctionParam& function) { apply_ = Apply(opening, function); }

  PullResult next(Context& ctx, const Demand& demand, Port& input, Block& out) {
    in_.rows = 0;
    in_.thinned = false;
    Demand wanted = width_.narrowed(demand, apply_.function());
    // A call that may fail needs its argument even if its value is not wanted.
    wanted.drop = demand.drop && !apply_.function().can_fail();
    if (!thins_) wanted.step = 1;
    const PullResult got = input.pull(ctx, wanted, in_);
    if (got != PullResult::rows) return got;
    failed_before_ = static_cast<int64_t>(in_.errors.size());
    if (in_.thinned || (wanted.step > 1 && !wanted.drop && in_.errors.empty())) {
      map_thinned(ctx, wanted, input.position() - in_.rows, out);
      return PullResult::rows;
    }
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

  // As Cursor::assured(), of the rows of `input`.
  int64_t assured(const Port& input) const noexcept {
    return apply_.function().can_fail() ? 0 : input.assured();
  }
  // How many rows are lost with an exception of next().
  int64_t lost() const noexcept { return std::max(in_.rows, 1); }
  // How many rows of the last block had failed in the input.
  int64_t failed_before() const { return failed_before_; }

 private:
  // Calls the function for the wanted rows only.
  void map_thinned(Context& ctx, const Demand& demand, int64_t first, Block& out) {
    chosen_.clear();
    for (int row = demand.first; row < in_.rows; row += demand.step) chosen_.push_back(row);
    thin_.gather_thinned(in_, chosen_);
    out.reset(apply_.function().components().size());
    if (!chosen_.empty()) apply_(ctx.session, first, thin_, out, false, chosen_.data());
    for (RowError& error : out.errors) error.row = chosen_[static_cast<size_t>(error.row)];
    out.rows = in_.rows;
    out.thinned = true;
    in_.origins.replace(out.origins, in_.rows, chosen_);
    out.origins.swap(in_.origins);
  }

  Apply apply_;
  RowWidth width_;
  // Its values may be left out.
  bool thins_;
  // What the function is applied to.
  Block in_;
  int64_t failed_before_ = 0;
  // The wanted rows of `in_`.
  std::vector<int32_t> chosen_;
  Block thin_;
};

}  // namespace weir
