// map_and_batch(f, n, drop_remainder, num_parallel_calls): map(f, num_parallel_calls) and batches of n
// results. Unlike batch, an error fails its batch and the next one begins where it would have, as in tf.data.
// Checkpoint: ops/batching/batch_cursor.h.
#include <cstdint>
#include <utility>

#include "dataset/batch_buffer.h"
#include "dataset/compose.h"
#include "expr/compile/composed_function.h"
#include "ops/batching/batch_cursor.h"
#include "ops/batching/joined_batch.h"
#include "ops/functions/apply.h"
#include "ops/list.h"

namespace weir::map_and_batch_op {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::anything};
  IntParam n;
  BoolParam drop_remainder{false};
  IntParam num_parallel_calls{1};
  void fields(Fields& fields) override {
    fields("f", f, "The function: a lambda or a callback.");
    fields("n", n, "The number of results in a batch.", at_least(1));
    fields("drop_remainder", drop_remainder, "Drop a last batch of fewer than n results.");
    fields("num_parallel_calls", num_parallel_calls, "How many calls run at once; auto: one per core.",
           at_least(1), {.automatic = true, .any_position = true});
  }
};

struct MapAndBatch {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(DatasetRef mapped, expansion(opening, params));
    WEIR_ASSIGN(const JoinedPlan plan, plan_batch(mapped->spec(), kUnknownDim));
    Instance input = opening.inner(std::move(mapped));
    if (!plan.dense) {
      using Joined = BatchCursor<JoinedBuffer, AfterError::next_batch>;
      return std::unique_ptr<Cursor>(std::make_unique<Joined>(opening.ctx, std::move(input), *params.n,
                                                              *params.drop_remainder, plan.parts));
    }
    using Batches = BatchCursor<BatchBuffer, AfterError::next_batch>;
    return std::unique_ptr<Cursor>(
        std::make_unique<Batches>(opening.ctx, std::move(input), *params.n, *params.drop_remainder));
  }
};

Result<DatasetRef> expand(const ParamsBase& base, std::span<const DatasetRef> inputs, const BuildSite& site) {
  const auto& params = static_cast<const Params&>(base);
  MapParams map;
  map.f = params.f;
  map.num_parallel_calls = params.num_parallel_calls;
  // A batch has its rows in their order whatever the options say.
  map.deterministic = true;
  return compose(std::move(map), {inputs[0]}, site);
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  const bool fixed = params.drop_remainder.is_constant() && *params.drop_remainder && params.n.is_constant();
  WEIR_ASSIGN(JoinedPlan plan, plan_batch(function_of(params.f).result(), fixed ? *params.n : kUnknownDim));
  return std::move(plan.batch);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  return batch_count(inputs[0]->cardinality(), *params.n, *params.drop_remainder);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, MapAndBatch>({
      .name = "map_and_batch",
      .page =
          {.doc =
               "Applies `f` to each element and stacks `n` results into a batch. Results of a batch must have one shape, or the batch is an error (invalid_argument); sparse tensors become one sparse tensor of the largest shape. If an element or its call fails, its whole batch is an error, and the next batch is what it would have been.",
           .cost = "The cost of map, and at most one copy of each result.",
           .tf_names = "map_func=f batch_size=n",
           .example = "range(5) | map_and_batch(x -> x * x, 2)",
           .output = "[0, 1]\n[4, 9]\n[16]",
           .bench = "range(1000000) | map_and_batch(x -> x + 1, 128)"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .expand = expand,
                 .needs =
                     [](const Dataset& node, const Marks&, std::vector<Marks>& needed) {
                       needed[0].assign(needed[0].size(), false);
                       add_needed(function_of(static_cast<const Params&>(node.params()).f), 0, needed[0]);
                     }},
      .position =
          {.keeps_rows = true,
           .kept = [](const ParamsBase& base) { return kept_by_batch(static_cast<const Params&>(base).n); }},
  });
  return def;
}

}  // namespace weir::map_and_batch_op
