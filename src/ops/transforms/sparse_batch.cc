// sparse_batch(n, row_shape): n dense tensors, which may differ in shape, joined into one sparse tensor.
// Order is kept. Errors and checkpoint: ops/batching/batch_cursor.h.
#include <cstdint>

#include "core/text.h"
#include "dataset/joined_buffer.h"
#include "ops/batching/batch_cursor.h"
#include "ops/batching/padding.h"
#include "ops/list.h"

namespace weir::sparse_batch_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  ValueParam row_shape;
  void fields(Fields& f) override {
    f("n", n, "The number of elements in a batch.", at_least(1));
    f("row_shape", row_shape,
      "The largest dimensions that an element may have: a list of numbers, with none for the largest of the batch.",
      {}, {.none = true});
  }
};

Result<Shape> row_shape_of(const Spec& element, const Params& params) {
  if (!element.is_tensor()) return invalid_argument(expected_found("one dense tensor", element.to_string()));
  Result<std::vector<Padding>> padding = padding_of(element, params.row_shape, ValueParam());
  if (!padding.ok()) return with_parameter(padding.status(), "row_shape");
  return (*padding)[0].shape;
}

struct SparseBatch {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(const Shape row, row_shape_of(opening.node->inputs()[0]->spec(), params));
    const std::vector<JoinedPart> parts = {{JoinedPart::How::to_sparse, row}};
    return std::unique_ptr<Cursor>(
        std::make_unique<BatchCursor<JoinedBuffer>>(opening, *params.n, false, parts));
  }
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  WEIR_ASSIGN(const Shape row, row_shape_of(inputs[0]->spec(), params));
  return Spec::sparse(inputs[0]->spec().dtype, row.prepended(kUnknownDim));
}

int64_t cardinality(const Params& params, std::span<const DatasetRef> inputs) {
  return batch_count(inputs[0]->cardinality(), *params.n, false);
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, SparseBatch>({
      .name = "sparse_batch",
      .page =
          {.doc =
               "Stacks `n` successive dense tensors, whose shapes may differ, into one sparse tensor. They must have one rank; the result has one more. Every entry becomes a value, zeros too. An element larger than `row_shape` makes the batch an error (data_loss). The last batch may have fewer elements. An error among the elements drops the batch gathered so far; the next one begins after it.",
           .cost = "One copy of each element, and its indices.",
           .tf_names = "batch_size=n",
           .example = "from_tensor_slices([1, 2]) | map(n -> full([n], n)) | sparse_batch(2, [4])",
           .output = "sparse(indices: [[0, 0], [1, 0], [1, 1]], values: [1, 2, 2], shape: [2, 4])",
           .bench = "range(100000) | map(x -> full([x % 100], x)) | sparse_batch(128, [100])"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .position =
          {.kept = [](const ParamsBase& base) { return kept_by_batch(static_cast<const Params&>(base).n); }},
  });
  return def;
}

}  // namespace weir::sparse_batch_op
