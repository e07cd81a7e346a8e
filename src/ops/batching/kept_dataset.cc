#include "ops/batching/kept_dataset.h"

#include <algorithm>
#include <utility>

#include "dataset/operator.h"
#include "ops/counted_source.h"

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

int64_t count_of(const Env& env) {
  int64_t count = 0;
  for (const Block& block : static_cast<const HeldRowsEnv&>(env).rows) count += block.rows;
  return count;
}

class HeldRowsCursor final : public CountedSource<HeldRowsCursor, RestartableCursor> {
 public:
  HeldRowsCursor(Opening& opening, const HeldRowsParams&)
      : CountedSource(count_of(*opening.env)), env_(opening.env) {}

  bool restart(Opening& opening, const ParamsBase& params) override {
    *this = HeldRowsCursor(opening, static_cast<const HeldRowsParams&>(params));
    return true;
  }

  int give(int64_t first, int rows, bool drop, Block& out) {
    const std::vector<Block>& blocks = static_cast<const HeldRowsEnv&>(*env_).rows;
    // Only a restored position is elsewhere than at the end of the last block.
    if (first < first_) first_ = static_cast<int64_t>(block_ = 0);
    while (first - first_ >= blocks[block_].rows) first_ += blocks[block_++].rows;
    const Block& block = blocks[block_];
    const int begin = static_cast<int>(first - first_);
    rows = std::min(rows, block.rows - begin);
    out.reset(drop ? 0 : block.columns.size());
    for (size_t i = 0; i < out.columns.size(); ++i) out.columns[i] = block.columns[i].slice(begin, rows);
    out.origins.append(block.origins, begin, rows, 0);
    return rows;
  }

 private:
  EnvRef env_;
  // A block at or before the position, and the number of its first row.
  size_t block_ = 0;
  int64_t first_ = 0;
};

Result<int64_t> cardinality_at(Session&, const Instance& instance, const ParamsBase&) {
  return count_of(*instance.env);
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

Result<KeptDataset> KeptDataset::make(const Spec& element) {
  auto params = std::make_unique<HeldRowsParams>();
  params->element = element;
  WEIR_ASSIGN(DatasetRef node, Dataset::build(held_rows_operator(), std::move(params), {}));
  return KeptDataset(std::move(node));
}

RefPtr<NestedDataset> KeptDataset::of(std::vector<Block> rows) const {
  return make_ref<NestedDataset>(node_, make_ref<const HeldRowsEnv>(std::move(rows)));
}

}  // namespace weir
