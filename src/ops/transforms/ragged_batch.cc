// ragged_batch(n, drop_remainder): n elements joined along a new first dimension; tensors whose first
// dimension varies become ragged. Order is kept. Errors and checkpoint: ops/batching/batch_cursor.h.
#include <cstdint>

#include "ops/batching/batch_cursor.h"
#include "ops/batching/joined_batch.h"
#include "ops/list.h"

namespace weir::ragged_batch_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  BoolParam drop_remainder{false};
  void fields(Fields& f) override {
    f("n", n, "The number of elements in a batch.", at_least(1));
    f("drop_remainder", drop_remainder, "Drop a last batch of fewer than n elements.");
  }
};

struct RaggedBatch {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(const JoinedPlan plan, plan_ragged_batch(opening.node->inputs()[0]->spec(), kUnknownDim));
    return std::unique_ptr<Cursor>(
        std::make_unique<BatchCursor<JoinedBuffer>>(opening, *params.n, *params.drop_remainder, plan.parts));
  }
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const bool fixed = params.drop_remainder.is_constant() && *params.drop_remainder && params.n.is_constant();
  WEIR_ASSIGN(JoinedPlan plan, plan_ragged_batch(inputs[0]->spec(), fixed ? *params.n : kUnknownDim));
  return std::move(plan.batch);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  return batch_count(inputs[0]->cardinality(), *params.n, *params.drop_remainder);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, RaggedBatch>({
      .name = "ragged_batch",
      .page =
          {.doc =
               "Stacks `n` successive elements into a batch, as ragged tensors where their lengths may differ. Tensors whose first dimension is unknown become one ragged tensor; others are stacked as by `batch`. The last batch may have fewer elements. An error among the elements drops the batch gathered so far; the next one begins after it.",
           .cost = "One copy of each element.",
           .tf_names = "batch_size=n",
           .example = "from_tensor_slices([1, 3, 0]) | map(n -> full([n], n)) | ragged_batch(2)",
           .output = "ragged([[1], [3, 3, 3]])\nragged([[]])",
           .bench = "range(100000) | map(x -> full([x % 100], x)) | ragged_batch(128)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .position =
          {.kept = [](const ParamsBase& base) { return kept_by_batch(static_cast<const Params&>(base).n); }},
  });
  return def;
}

}  // namespace weir::ragged_batch_op
