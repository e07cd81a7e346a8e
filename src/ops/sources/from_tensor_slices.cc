// from_tensor_slices(value): one element per slice along the first dimension of every component. Slices share
// the value's memory. Checkpoint: how many were given.
#include <cstdint>

#include "core/text.h"
#include "dataset/access.h"
#include "ops/batching/value_slices.h"
#include "ops/counted_source.h"
#include "ops/list.h"

namespace weir {
void FromTensorSlicesParams::fields(Fields& f) {
  f("value", value, "A tensor or a structure of tensors, each of rank 1 or more and of one length.");
}
namespace from_tensor_slices_op {
namespace {

using Params = FromTensorSlicesParams;

Status check_lengths(std::span<const Component> components) {
  int64_t length = kUnknownDim;
  for (const Component& component : components) {
    if (component.dtype == DType::dataset) {
      return invalid_argument(expected_found("tensors", "a dataset"));
    }
    if (!component.shape.rank_known()) continue;
    if (component.shape.rank() == 0) {
      return invalid_argument(expected_found("tensors with a first dimension to slice", "a scalar",
                                             "for one element write from_tensors(…)"));
    }
    int64_t dim = component.shape.dim(0);
    if (dim < 0) continue;
    if (length >= 0 && dim != length) {
      return invalid_argument(expected_found("components of one length", concat(length, " and ", dim)));
    }
    length = dim;
  }
  return Status();
}

class FromTensorSlices final : public CountedSource<FromTensorSlices> {
 public:
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const Params& params) {
    if (!dense_only(params.value.spec)) {
      WEIR_ASSIGN(ValueRows rows, rows_of(opening, params.value));
      return std::unique_ptr<Cursor>(std::make_unique<ValueSlices>(std::move(rows)));
    }
    std::vector<Component> components;
    for (const Tensor& tensor : params.value.values) components.push_back({tensor.dtype, tensor.shape});
    WEIR_TRY(check_lengths(components));
    // The value of an expression belongs to this cursor and goes with it.
    for (const Tensor& tensor : params.value.values) {
      if (!opening.node->dynamic()) tensor.set_lasting();
    }
    return std::unique_ptr<Cursor>(std::make_unique<FromTensorSlices>(params.value.values));
  }
  explicit FromTensorSlices(const Components& values)
      : CountedSource(values.empty() ? 0 : values[0].shape.dim(0)), values_(values) {}

  int give(int64_t first, int rows, bool drop, Block& out) {
    out.reset(drop ? 0 : values_.size());
    for (size_t i = 0; i < out.columns.size(); ++i) out.columns[i].set_dense(values_[i].rows(first, rows));
    return rows;
  }

 private:
  Components values_;
};

class SlicesAccess final : public Access {
 public:
  explicit SlicesAccess(const Components& values) : columns_(values.size()) {
    for (size_t i = 0; i < values.size(); ++i) columns_[i].set_dense(values[i]);
    if (!values.empty()) count_ = values[0].shape.dim(0);
  }

  AccessCount count() const override { return {count_, false}; }
  void read(Context&, std::span<const int64_t> positions, Block& out) override {
    out.reset(columns_.size());
    for (size_t i = 0; i < columns_.size(); ++i) out.columns[i].gather_from(columns_[i], positions);
    out.rows = static_cast<int>(positions.size());
  }

 private:
  std::vector<Column> columns_;
  int64_t count_ = 0;
};

Result<std::unique_ptr<Access>> access(Opening& opening, const ParamsBase& base) {
  const ValueParam& value = static_cast<const Params&>(base).value;
  if (!dense_only(value.spec)) {
    WEIR_ASSIGN(ValueRows rows, rows_of(opening, value));
    return std::unique_ptr<Access>(std::make_unique<ValueAccess>(std::move(rows)));
  }
  const Components& values = value.values;
  std::vector<Component> components;
  for (const Tensor& tensor : values) components.push_back({tensor.dtype, tensor.shape});
  WEIR_TRY(check_lengths(components));
  for (const Tensor& tensor : values) {
    if (!opening.node->dynamic()) tensor.set_lasting();
  }
  return std::unique_ptr<Access>(std::make_unique<SlicesAccess>(values));
}

void drop_first_dimension(Spec& spec) {
  if (spec.is_tensor()) spec.shape = spec.shape.tail();
  for (Spec& child : spec.children) drop_first_dimension(child);
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  Spec out = params.value.spec;
  if (!dense_only(out)) {
    int64_t length = kUnknownDim;
    return row_of_value(out, length);
  }
  std::vector<Component> components = out.components();
  if (components.empty()) return invalid_argument(expected_found("at least one component", "none"));
  WEIR_TRY(check_lengths(components));
  drop_first_dimension(out);
  return out;
}

int64_t cardinality(const Params& params, std::span<const DatasetRef>) {
  if (!dense_only(params.value.spec)) {
    int64_t length = kUnknownDim;
    return row_of_value(params.value.spec, length).ok() && length != kUnknownDim ? length : kUnknown;
  }
  const Components& values = params.value.values;
  if (!values.empty() && values[0].shape.rank() > 0) return values[0].shape.dim(0);
  for (const Component& component : params.value.spec.components()) {
    if (component.shape.rank_known() && component.shape.dim(0) >= 0) return component.shape.dim(0);
  }
  return kUnknown;
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, FromTensorSlices>({
      .name = "from_tensor_slices",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Slices tensors along their first dimension: one element per slice. All components must have the same length. A slice of a sparse tensor is a sparse tensor of one rank less, a slice of a ragged tensor a dense one.",
           .cost = "No copy: a block of elements is a view of the tensors.",
           .tf_names = "tensors=value",
           .example = "from_tensor_slices({x: [[1, 2], [3, 4]], label: [7, 8]})",
           .output = "{x: [1, 2], label: 7}\n{x: [3, 4], label: 8}",
           .bench = "from_tensor_slices(zeros([1000000], int64))",
           .elsewhere = "from_list from_array from_numpy: from_tensor_slices([…])"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .access = {.open = access},
  });
  return def;
}

}  // namespace from_tensor_slices_op
}  // namespace weir
