// batch(n, drop_remainder, num_parallel_calls): n elements joined along a new first dimension. Order is kept. Errors and
// checkpoint: ops/batch_cursor.h.
#include <cstdint>

#include "dataset/batch_buffer.h"
#include "ops/batch_cursor.h"
#include "ops/list.h"

namespace weir {
namespace {

using Params = BatchParams;

struct Batch {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    return std::unique_ptr<Cursor>(
        std::make_unique<BatchCursor<BatchBuffer>>(opening, *params.n, *params.drop_remainder));
  }
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  bool fixed = params.drop_remainder.is_constant() && *params.drop_remainder && params.n.is_constant();
  return batched(inputs[0]->spec(), fixed ? *params.n : kUnknownDim);
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  return batch_count(inputs[0]->cardinality(), *params.n, *params.drop_remainder);
}

}  // namespace

void BatchParams::fields(Fields& f) {
  f("n", n, "How many elements make a batch.", at_least(1));
  f("drop_remainder", drop_remainder, "Leave out a last batch of fewer than n elements.");
  f("num_parallel_calls", num_parallel_calls,
    "For compatibility with tf.data; has no effect, since copying is not worth a thread.", at_least(1),
    {.automatic = true, .any_position = true});
}

const OperatorDef& batch_operator() {
  static const OperatorDef def = define<Params, Batch>({
      .name = "batch",
      .doc =
          "Joins `n` elements along a new first dimension. The elements of a batch must have one shape, or the batch is an error. The last batch may have fewer elements. An error among the elements drops the batch gathered so far; the next one begins after it.",
      .cost = "At most one copy of each element.",
      .example = "range(5) | batch(2)",
      .output = "[0, 1]\n[2, 3]\n[4]",
      .bench = "range(1000000) | batch(128)",
      .spec = spec_of<Params, spec>,
      .cardinality = cardinality_of<Params, cardinality>,
      .kept = [](const ParamsBase& base) { return kept_by_batch(static_cast<const Params&>(base).n); },
  });
  return def;
}

}  // namespace weir
