// sparse(indices, values, shape), and its parts: indices(s), values(s), dense_shape(s). No bytes move.
#include <algorithm>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/shape_argument.h"

namespace weir {

namespace {

// One whose rank is unknown is checked again at each row.
Status check_rank(const Shape& shape, int part) {
  constexpr int kRanks[] = {2, 1, 1};
  constexpr std::string_view kParts[] = {"indices as a matrix with a row for each value",
                                         "a vector of values", "a shape as a vector"};
  if (!shape.rank_known() || shape.rank() == kRanks[part]) return Status();
  return invalid_argument(expected_found(kParts[part], concat("the shape ", shape.to_string())));
}

// Why the row is no sparse tensor: the indices are checked against the shape, not their order.
Status check_row(const KernelRun& run, int row) {
  const Arg& indices = run.arg(0);
  const Arg& values = run.arg(1);
  for (int part = 0; part < 3; ++part) WEIR_TRY(check_rank(run.arg(part).shape, part));
  const Entries shape = entries_of(run.arg(2), row);
  if (indices.shape[0] != values.shape[0] || indices.shape[1] != shape.count) {
    return invalid_argument(
        expected_found(concat("indices of shape [", values.shape[0], ", ", shape.count, "] for ",
                              values.shape[0], " values in ", shape.count, " dimensions"),
                       indices.shape.to_string()));
  }
  WEIR_TRY(shape_from(shape).status());
  const int64_t* index = indices.row<int64_t>(row);
  for (int64_t value = 0; value < values.shape[0]; ++value) {
    for (int64_t d = 0; d < shape.count; ++d, ++index) {
      if (*index >= 0 && *index < shape[d]) continue;
      return invalid_argument(concat("the index ", *index, " of value ", value,
                                     " is out of range for dimension ", d, " of ", shape[d]));
    }
  }
  return Status();
}

void sparse_body(KernelRun& run) {
  for (int i = 0; i < run.rows(); ++i) {
    if (Status status = check_row(run, i); !status.ok()) run.fail(i, status);
  }
}

int64_t dim_of(const Shape& shape, int axis) { return shape.rank_known() ? shape[axis] : kUnknownDim; }

Status sparse_infer(KernelCall& call) {
  for (int part = 0; part < 3; ++part) {
    const Status status = check_rank(call.shape(part), part);
    if (!status.ok()) return call.error(part, status.error().what());
  }
  const int64_t count = dim_of(call.shape(0), 0);
  const int64_t values = dim_of(call.shape(1), 0);
  if (count != kUnknownDim && values != kUnknownDim && count != values) {
    return call.error(
        0, expected_found(concat("a row of indices for each of the ", values, " values"), concat(count)));
  }
  WEIR_ASSIGN(Shape shape, shape_from(call, 2));
  const int64_t rank = dim_of(call.shape(0), 1);
  if (!shape.rank_known() && rank >= 0 && rank <= kMaxRank) {
    shape = Shape();
    for (int64_t d = 0; d < rank; ++d) shape = shape.prepended(kUnknownDim);
  }
  if (shape.rank_known() && rank != kUnknownDim && rank != shape.rank()) {
    return call.error(0, expected_found(concat("an index for each of the ", shape.rank(), " dimensions"),
                                        concat("the shape ", call.shape(0).to_string())));
  }
  call.result(Spec::sparse(call.dtype(1), shape));
  for (int i = 0; i < 3; ++i) call.alias(i, call.argument(i));
  call.body(sparse_body);
  return Status();
}

// One part of a sparse tensor.
template <int kPart>
Status part_infer(KernelCall& call) {
  const Component part = call.spec(0).components()[kPart];
  call.result(part.dtype, part.shape);
  call.alias(0, call.argument(0) + kPart);
  return Status();
}

Status dense_shape_infer(KernelCall& call) {
  const Shape& shape = call.spec(0).shape;
  if (shape.rank_known()) {
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    std::ranges::replace(dims, kUnknownDim, kUnknownEntry);
    call.known_integers(std::move(dims));
  }
  return part_infer<2>(call);
}

}  // namespace

extern constinit const Kernel sparse_kernel{
    .name = "sparse",
    .params = {{.name = "indices",
                .type = "int64",
                .doc = "A matrix: one row per value, with its index in each dimension."},
               {.name = "values", .doc = "A vector."},
               {.name = "shape", .type = "int64", .doc = "The size of each dimension."}},
    .infer = sparse_infer,
    .doc =
        "Makes a sparse tensor from indices, values and a shape, as tf.sparse.SparseTensor. An index outside the shape is an error of the element; the order of the indices matters to `to_dense` and `unbatch` only.",
    .result = "sparse<DTYPE>[SHAPE].",
    .cost = "One look at each index.",
    .example = "from_tensors(sparse([[0, 1], [2, 0]], [5, 7], [3, 2]))",
    .output = "sparse(indices: [[0, 1], [2, 0]], values: [5, 7], shape: [3, 2])",
    .bench = "sparse(reshape(arange(784), [784, 1]), x, [784])",
    .can_fail = true};

extern constinit const Kernel indices_kernel{
    .name = "indices",
    .params = {{.name = "s", .kind = ParamKind::sparse}},
    .infer = part_infer<0>,
    .doc = "The indices of a sparse tensor, one row for each value.",
    .result = "int64[?, the rank].",
    .cost = "Moves no bytes.",
    .example = "from_tensors(indices(sparse([[0, 1], [2, 0]], [5, 7], [3, 2])))",
    .output = "[[0, 1], [2, 0]]",
    .bench = "indices(sparse(reshape(arange(784), [784, 1]), x, [784]))"};

extern constinit const Kernel values_kernel{
    .name = "values",
    .params = {{.name = "s", .kind = ParamKind::sparse}},
    .infer = part_infer<1>,
    .doc = "The values of a sparse tensor.",
    .result = "The dtype of `s`, a vector.",
    .cost = "Moves no bytes.",
    .example = "from_tensors(values(sparse([[0, 1], [2, 0]], [5, 7], [3, 2])))",
    .output = "[5, 7]",
    .bench = "values(sparse(reshape(arange(784), [784, 1]), x, [784]))"};

extern constinit const Kernel dense_shape_kernel{
    .name = "dense_shape",
    .params = {{.name = "s", .kind = ParamKind::sparse}},
    .infer = dense_shape_infer,
    .doc = "The dense shape of a sparse tensor.",
    .result = "int64, a vector of the rank.",
    .cost = "Moves no bytes.",
    .example = "from_tensors(dense_shape(sparse([[0, 1], [2, 0]], [5, 7], [3, 2])))",
    .output = "[3, 2]",
    .bench = "dense_shape(sparse(reshape(arange(784), [784, 1]), x, [784]))"};

}  // namespace weir
