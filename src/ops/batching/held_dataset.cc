#include "ops/batching/held_dataset.h"

#include <algorithm>
#include <utility>

#include "dataset/operator.h"

namespace weir {

namespace {

class HeldRowsEnv final : public Env {
 public:
  explicit HeldRowsEnv(std::vector<Block> blocks) : Env(nullptr, {}), rows(std::move(blocks)) {}
  const std::vector<Block> rows;
};

struct HeldRowsParams : ParamsOf<HeldRowsParams> {
  Spec element;
  void fields(Fields&) override {}
};

// Checkpoint: how many were given.
class HeldRowsCursor final : public RestartableCursor {
 public:
  HeldRowsCursor(Opening& opening, const HeldRowsParams&) : env_(opening.env) {
    for (const Block& block : blocks()) count_ += block.rows;
  }

  bool restart(Opening& opening, const ParamsBase& params) override {
    *this = HeldRowsCursor(opening, static_cast<const HeldRowsParams&>(params));
    return true;
  }

  int64_t assured() const noexcept override { return count_ - position_; }

  Step next(Context&, const Demand& demand, Block& out) override {
    if (position_ == count_) return PullResult::end;
    // Only a restored position is elsewhere than at the end of the last block.
    while (position_ - first_ >= blocks()[block_].rows) first_ += blocks()[block_++].rows;
    const Block& block = blocks()[block_];
    const int begin = static_cast<int>(position_ - first_);
    const int rows = demand.at_most(block.rows - begin).rows;
    out.reset(demand.drop ? 0 : block.columns.size());
    for (size_t i = 0; i < out.columns.size(); ++i) out.columns[i] = block.columns[i].slice(begin, rows);
    out.origins.append(block.origins, begin, rows, 0);
    out.rows = rows;
    position_ += rows;
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    ++position_;
    return 1;
  }

  void state(Archive& archive) override {
    archive("given", position_, 0, count_);
    if (archive.loading()) first_ = static_cast<int64_t>(block_ = 0);
  }

 private:
  const std::vector<Block>& blocks() const { return static_cast<const HeldRowsEnv&>(*env_).rows; }

  EnvRef env_;
  int64_t count_ = 0;
  int64_t position_ = 0;
  // A block at or before the position, and the number of its first row.
  size_t block_ = 0;
  int64_t first_ = 0;
};

Result<int64_t> cardinality_at(Session&, const Instance& instance, const ParamsBase&) {
  int64_t count = 0;
  for (const Block& block : static_cast<const HeldRowsEnv&>(*instance.env).rows) count += block.rows;
  return count;
}

Result<Spec> spec(const HeldRowsParams& params, std::span<const DatasetRef>) { return params.element; }

const OperatorDef& held_rows_operator() {
  static const OperatorDef def = define<HeldRowsParams, HeldRowsCursor>({
      .name = "held_rows",
      .kind = OperatorKind::source,
      .internal = true,
      .page = {.doc = "Rows that another operator holds."},
      .typing = {.spec = spec_of<HeldRowsParams, spec>, .cardinality_at = cardinality_at},
  });
  return def;
}

}  // namespace

Result<HeldDataset> HeldDataset::make(const Spec& element) {
  auto params = std::make_unique<HeldRowsParams>();
  params->element = element;
  WEIR_ASSIGN(DatasetRef node, Dataset::build(held_rows_operator(), std::move(params), {}));
  return HeldDataset(std::move(node));
}

RefPtr<NestedDataset> HeldDataset::of(std::vector<Block> rows) const {
  return make_ref<NestedDataset>(node_, make_ref<const HeldRowsEnv>(std::move(rows)));
}

}  // namespace weir
