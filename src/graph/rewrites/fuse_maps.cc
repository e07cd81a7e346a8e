// fuse_maps: adjacent maps become one, which calls the composed function. All but the last cannot fail, so that the errors
// are those of the last one, at its path.
#include <utility>

#include "expr/composed_function.h"
#include "graph/rewrites/rule.h"
#include "ops/apply.h"
#include "ops/mapped_rows.h"

namespace weir {
namespace {

class MapBody final : public RunBody {
 public:
  MapBody(const Opening& opening, const RunParams& params) : rows_(opening, params.f) {}

  Step next(Context& ctx, const Demand& demand, Port& input, Block& out) override {
    return rows_.next(ctx, demand, input, out);
  }
  int64_t lose() noexcept override { return rows_.lost(); }
  int64_t failed_before(const Block&) const override { return rows_.failed_before(); }

 private:
  MappedRows rows_;
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
