// padded_batch(n, shapes, values, drop_remainder): n elements joined along a new first dimension, each padded
// to the largest of the batch or to a given shape. Order is kept. Errors and checkpoint:
// ops/batching/batch_cursor.h.
#include <cstdint>

#include "ops/batching/batch_cursor.h"
#include "ops/batching/padding.h"
#include "ops/list.h"

namespace weir {
void PaddedBatchParams::fields(Fields& f) {
  f("n", n, "The number of elements in a batch.", at_least(1));
  f("shapes", shapes,
    "The shape of each tensor, in the structure of the element. A dimension is a number, or none for the largest of the batch.",
    {}, {.none = true});
  f("values", values, "The padding: one value, or one for each tensor. none: 0, false or \"\".", {},
    {.none = true});
  f("drop_remainder", drop_remainder, "Drop a last batch of fewer than n elements.");
}
namespace padded_batch_op {
namespace {

using Params = PaddedBatchParams;

struct PaddedBatch {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    const Spec& element = opening.node->inputs()[0]->spec();
    WEIR_ASSIGN(std::vector<Padding> padding, padding_of(element, params.shapes, params.values));
    return std::unique_ptr<Cursor>(std::make_unique<BatchCursor<PaddedBuffer>>(
        opening, *params.n, *params.drop_remainder, std::move(padding)));
  }
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  const Spec& element = inputs[0]->spec();
  WEIR_ASSIGN(std::vector<Padding> padding, padding_of(element, params.shapes, params.values));
  const bool fixed = params.drop_remainder.is_constant() && *params.drop_remainder && params.n.is_constant();
  return batched(padded_spec(element, padding), fixed ? *params.n : kUnknownDim);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  return batch_count(inputs[0]->cardinality(), *params.n, *params.drop_remainder);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, PaddedBatch>({
      .name = "padded_batch",
      .page =
          {.doc =
               "Stacks `n` successive elements into a batch, padding their tensors to a common shape. That is the largest shape of the batch, or `shapes`. An element larger than that makes the batch an error (data_loss). An error among the elements drops the batch gathered so far; the next one begins after it.",
           .cost = "One copy of each element.",
           .tf_names = "batch_size=n padded_shapes=shapes padding_values=values",
           .example = "range(1, 4) | map(x -> full([x], x)) | padded_batch(3, values: -1)",
           .output = "[[1, -1, -1], [2, 2, -1], [3, 3, 3]]",
           .bench = "range(100000) | map(x -> full([x % 100], x)) | padded_batch(128)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .position =
          {.kept = [](const ParamsBase& base) { return kept_by_batch(static_cast<const Params&>(base).n); }},
  });
  return def;
}

}  // namespace padded_batch_op
}  // namespace weir
