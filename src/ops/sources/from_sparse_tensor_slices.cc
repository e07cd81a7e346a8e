// from_sparse_tensor_slices(sparse): one tuple (indices, values, shape) per slice of a sparse tensor.
// Checkpoint: how many were given.
#include <cstdint>

#include "core/text.h"
#include "ops/batching/value_slices.h"
#include "ops/list.h"

namespace weir::from_sparse_tensor_slices_op {
namespace {

struct Params : ParamsOf<Params> {
  ValueParam sparse;
  void fields(Fields& f) override {
    f("sparse", sparse, "A sparse tensor of rank 1 or more, whose indices rise by row.");
  }
};

struct FromSparseTensorSlices {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    WEIR_ASSIGN(ValueRows rows, rows_of(opening, params.sparse));
    return std::unique_ptr<Cursor>(std::make_unique<ValueSlices>(std::move(rows)));
  }
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  const Spec& value = params.sparse.spec;
  if (value.kind != Spec::Kind::sparse) {
    return invalid_argument(expected_found("a sparse tensor", value.to_string(),
                                           value.is_tensor() ? "from_dense(x) makes one" : ""));
  }
  int64_t length = kUnknownDim;
  WEIR_ASSIGN(const Spec row, row_of_value(value, length));
  std::vector<Spec> parts;
  for (const Component& part : row.components()) parts.push_back(Spec::tensor(part.dtype, part.shape));
  return Spec::tuple(std::move(parts));
}

int64_t cardinality(const Params& params, std::span<const DatasetRef>) {
  const Shape& shape = params.sparse.spec.shape;
  return shape.rank_known() && shape.rank() > 0 && shape[0] >= 0 ? shape[0] : kUnknown;
}

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& base) {
  WEIR_ASSIGN(ValueRows rows, rows_of(opening, static_cast<const Params&>(base).sparse));
  return std::unique_ptr<Access>(std::make_unique<ValueAccess>(std::move(rows)));
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, FromSparseTensorSlices>({
      .name = "from_sparse_tensor_slices",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Slices a sparse tensor along its first dimension: one tuple (indices, values, shape) per slice. from_tensor_slices yields the same slices as sparse tensors.",
           .cost = "Copies the indices once.",
           .tf_names = "sparse_tensor=sparse",
           .example = "from_sparse_tensor_slices(sparse([[0, 2], [1, 0]], [5, 7], [2, 3]))",
           .output = "([[2]], [5], [3])\n([[0]], [7], [3])",
           .bench = "from_sparse_tensor_slices(from_dense(ones([1000, 100])))"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .access = {.open = access},
  });
  return def;
}

}  // namespace weir::from_sparse_tensor_slices_op
