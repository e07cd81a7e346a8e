// fuse_maps: adjacent maps become one, which calls the composed function. All but the last cannot fail, so that the errors
// are those of the last one, at its path.
#include <algorithm>
#include <utility>

#include "expr/composed_function.h"
#include "graph/rewrites/rule.h"
#include "ops/apply.h"

namespace weir {
namespace {

class MapBody final : public RunBody {
 public:
  MapBody(const Opening& opening, const RunParams& params) : apply_(opening, params.f) {}

  Step next(Context& ctx, const Demand& demand, Port& input, Block& out) override {
    in_.rows = 0;
    Demand wanted = demand;
    wanted.drop = demand.drop && !apply_.function().can_fail();
    const PullResult got = input.pull(ctx, wanted, in_);
    if (got != PullResult::rows) return got;
    failed_ = static_cast<int64_t>(in_.errors.size());
    if (!wanted.drop) {
      apply_(ctx.session, input.position() - in_.rows, in_, out, demand.drop);
      return PullResult::rows;
    }
    out.reset(0);
    out.rows = in_.rows;
    std::swap(out.errors, in_.errors);
    out.origins.swap(in_.origins);
    return PullResult::rows;
  }

  int64_t lose() noexcept override { return std::max(in_.rows, 1); }
  int64_t failed_before(const Block&) const override { return failed_; }

 private:
  Apply apply_;
  // What the function is applied to, and how many rows had failed before.
  Block in_;
  int64_t failed_ = 0;
};

std::unique_ptr<RunBody> make(const Opening& opening, const RunParams& params) {
  return std::make_unique<MapBody>(opening, params);
}

bool take(OperatorRun& run, const DatasetRef& node) {
  // What a shard takes is numbered otherwise than the elements of the map.
  const bool sharded = run.body == &shard_first_rule();
  if ((run.body && run.body != &fuse_maps_rule() && !sharded) || !is_sequential_map(*node)) return false;
  const Function& function = *function_in(*node);
  if (!only_computes(function) || ((run.keyed || sharded) && function.draws_random())) return false;
  // An error would have the path of the run's first operator.
  if (!run.operators.empty() && function.can_fail()) return false;
  FunctionRef both(&function);
  if (run.function) both = composed(function, *run.function);
  if (!both) return false;
  run.function = std::move(both);
  if (!run.body) run.body = &fuse_maps_rule();
  run.operators.push_back({.node = node});
  return true;
}

}  // namespace

const Rule& fuse_maps_rule() {
  static const Rule rule{
      .name = "fuse_maps",
      .take = take,
      .make = make,
  };
  return rule;
}

}  // namespace weir
