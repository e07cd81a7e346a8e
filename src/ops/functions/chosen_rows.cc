#include "ops/functions/chosen_rows.h"

#include <algorithm>
#include <utility>

namespace weir {

bool ChosenRows::restart(Opening& opening, const ParamsBase&) {
  input_.restart(opening, 0, Port::Mode::keep);
  judged_ = false;
  chosen_.rows.clear();
  looked_at_ = 0;
  width_ = 0;
  yield_timer_.reset();
  return true;
}

Step ChosenRows::next(Context& ctx, const Demand& demand, Block& out) {
  for (;;) {
    // That many rows of output take at least as many of input, and more if none has been chosen for long.
    Demand wanted = demand;
    wanted.rows = std::max(demand.rows, width_);
    wanted.drop = false;
    const PullResult got = input_.fill(ctx, wanted);
    if (got != PullResult::rows) return got;
    if (!judged_) judge(ctx, input_.block(), input_.position());
    judged_ = true;
    chosen_.rows.clear();
    chosen_.errors.clear();
    looked_at_ = choose(input_.block(), input_.begin(), demand.rows, chosen_) - input_.begin();
    if (!chosen_.rows.empty()) break;
    const int rows = looked_at_;
    pass(rows);
    width_ = std::min(2 * std::max(demand.rows, width_), kMaxBlockRows);
    if (yield_timer_.should_yield(ctx, rows)) return PullResult::pending;
  }
  yield_timer_.reset();
  width_ = 0;
  give(demand, out);
  pass(0);
  return PullResult::rows;
}

int64_t ChosenRows::lose(const ErrorPtr&) noexcept {
  const int left = input_.buffered();
  if (!judged_) {
    pass(left);
    return std::max(left, 1);
  }
  const auto lost = static_cast<int64_t>(chosen_.rows.size());
  // If it could not look at a row, that one, or those that it had chosen.
  if (looked_at_ == 0) looked_at_ = lost == 0 ? 1 : chosen_.rows.back() + 1 - input_.begin();
  pass(std::min(left, looked_at_));
  chosen_.rows.clear();
  return std::max<int64_t>(lost, 1);
}

// Steps over buffered rows for good.
void ChosenRows::pass(int rows) {
  input_.take(rows);
  input_.consume_all();
  looked_at_ = 0;
  judged_ = input_.buffered() > 0;
}

// Moves the chosen rows to `out`.
void ChosenRows::give(const Demand& demand, Block& out) {
  const Block& block = input_.block();
  out.reset(demand.drop ? 0 : block.columns.size());
  if (static_cast<int>(chosen_.rows.size()) == looked_at_) {
    input_.take_into(out, 0, looked_at_);
  } else {
    for (size_t i = 0; i < out.columns.size(); ++i)
      out.columns[i].gather_from(block.columns[i], chosen_.rows);
    out.origins.gather(block.origins, chosen_.rows);
    input_.take(looked_at_);
  }
  out.rows = static_cast<int>(chosen_.rows.size());
  std::swap(out.errors, chosen_.errors);
}

}  // namespace weir
