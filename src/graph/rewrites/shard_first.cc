// shard_first: a shard chooses its elements before the maps below it, which then make only those. None of them can fail,
// since an error is given to every part, or draws, since the elements are numbered otherwise above the shard.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/exception.h"
#include "dataset/yield_timer.h"
#include "graph/rewrites/rule.h"
#include "ops/apply.h"
#include "ops/shard_part.h"

namespace weir {
namespace {

class ShardBody final : public RunBody {
 public:
  ShardBody(const Opening& opening, const RunParams& params, ShardPosition position)
      : position_(std::move(position)) {
    if (params.f.function) apply_.emplace(opening, params.f);
  }

  Step next(Context& ctx, const Demand& demand, Port& input, Block& out) override {
    for (;;) {
      in_.rows = 0;
      rows_.clear();
      Demand wanted = demand;
      wanted.rows = static_cast<int>(position_.steps_to(demand.rows, kMaxBlockRows));
      const PullResult got = input.pull(ctx, wanted, in_);
      if (got != PullResult::rows) return got;
      rows_.choose(in_, position_);
      if (!rows_.empty()) break;
      if (yield_timer_.should_yield(ctx, in_.rows)) return PullResult::pending;
    }
    yield_timer_.reset();
    if (demand.drop) in_.columns.clear();
    if (demand.drop || !apply_) {
      out.gather_from(in_, rows_.rows());
    } else {
      chosen_.gather_from(in_, rows_.rows());
      (*apply_)(ctx.session, 0, chosen_, out);
    }
    return PullResult::rows;
  }

  int64_t lose() noexcept override { return std::max<int64_t>(static_cast<int64_t>(rows_.rows().size()), 1); }
  void state(Archive& archive) override { position_.state(archive); }

 private:
  // The maps; empty if there are none.
  std::optional<Apply> apply_;
  ShardPosition position_;
  Block in_;
  // What the maps are applied to.
  Block chosen_;
  ShardRows rows_;
  YieldTimer yield_timer_;
};

std::unique_ptr<RunBody> make(const Opening& opening, const RunParams& params) {
  Result<ShardPosition> begin = begin_of_part(opening, params.operators[0].node->params());
  if (!begin.ok()) throw StatusException(begin.status());
  return std::make_unique<ShardBody>(opening, params, *std::move(begin));
}

// Its own position is the run's, so it is the first of its operators. Where elements are at hand by their position, it
// reads only its own anyway.
bool take(OperatorRun& run, const DatasetRef& node) {
  if (!run.operators.empty() || std::string_view(node->op().name) != "shard") return false;
  run.body = &shard_first_rule();
  run.operators.push_back({.node = node});
  return true;
}

}  // namespace

const Rule& shard_first_rule() {
  static const Rule rule{
      .name = "shard_first",
      .take = take,
      .make = make,
  };
  return rule;
}

}  // namespace weir
