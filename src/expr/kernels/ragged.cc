// ragged(values, row_splits), to_tensor(r, default), row_lengths(r) and flat_values(r).
#include <algorithm>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

// The row splits of one row of the run, if they rise from 0 to the number of values; they may come from a
// callback.
bool good_splits(const Arg& values, const Arg& splits, int row) {
  const int64_t count = splits.shape.count();
  const int64_t* entries = splits.row<int64_t>(row);
  return values.shape.rank() > 0 && count > 0 && entries[0] == 0 && entries[count - 1] == values.shape[0] &&
         std::is_sorted(entries, entries + count);
}

bool check_splits(KernelRun& run, int row) {
  if (good_splits(run.arg(0), run.arg(1), row)) return true;
  run.fail(row,
           invalid_argument("expected row splits that rise from 0 to the number of values; found others"));
  return false;
}

void ragged_body(KernelRun& run) {
  for (int i = 0; i < run.rows(); ++i) check_splits(run, i);
}

// [rows, ?, what a value has].
Status ragged_infer(KernelCall& call) {
  const Shape& values = call.shape(0);
  const Shape& splits = call.shape(1);
  if (values.rank_known() && values.rank() == 0)
    return call.error(0, "expected values with a first dimension");
  if (values.rank_known() && values.rank() == kMaxRank)
    return call.error(0, concat("expected at most ", kMaxRank - 1, " dimensions"));
  if (!splits.rank_known() || splits.rank() != 1) {
    return call.error(1, expected_found("a vector of row splits", concat("the shape ", splits.to_string())));
  }
  if (splits[0] == 0) return call.error(1, "expected at least one row split, which is 0");
  Shape shape = Shape::unknown_rank();
  if (values.rank_known()) {
    shape = values.tail()
                .prepended(kUnknownDim)
                .prepended(splits[0] == kUnknownDim ? kUnknownDim : splits[0] - 1);
  }
  call.result(Spec::ragged(call.dtype(0), shape));
  call.alias(0, call.argument(0));
  call.alias(1, call.argument(1));
  call.body(ragged_body);
  return Status();
}

// The number of ragged rows, as a dimension.
int64_t row_count(const Spec& ragged) { return ragged.shape.rank_known() ? ragged.shape[0] : kUnknownDim; }

// The rows of one ragged tensor side by side, filled up with `fill`.
template <class T>
void pad_rows(const KernelRun& run, int row, int64_t width, const T& fill, T* out) {
  const int64_t* splits = run.arg(1).row<int64_t>(row);
  const T* values = run.arg(0).row<T>(row);
  const int64_t entries = run.arg(0).shape.tail().count();
  for (int64_t r = 0; r + 1 < run.arg(1).shape.count(); ++r) {
    const int64_t filled = (splits[r + 1] - splits[r]) * entries;
    out = std::copy_n(values + splits[r] * entries, filled, out);
    out = std::fill_n(out, width * entries - filled, fill);
  }
}

template <class T>
void to_tensor_body(KernelRun& run) {
  for (int row = 0; row < run.rows(); ++row) {
    if (!check_splits(run, row)) continue;
    const int64_t rows = run.arg(1).shape.count() - 1;
    const int64_t* splits = run.arg(1).row<int64_t>(row);
    int64_t width = 0;
    for (int64_t r = 0; r < rows; ++r) width = std::max(width, splits[r + 1] - splits[r]);
    const Shape shape = run.arg(0).shape.tail().prepended(width).prepended(rows);
    T* out = run.make_row<T>(0, row, shape);
    if (out != nullptr) pad_rows(run, row, width, run.arg_count() > 2 ? *run.arg(2).row<T>(row) : T(), out);
  }
}

Status to_tensor_infer(KernelCall& call) {
  if (call.given(1)) WEIR_TRY(check_scalar(call, 1, "the default"));
  const Spec& r = call.spec(0);
  visit<Everything>(r.dtype, [&]<class T>() { call.body(to_tensor_body<T>); });
  call.result(r.dtype, r.shape);
  return Status();
}

void row_lengths_body(KernelRun& run) {
  const int64_t rows = run.arg(1).shape.count() - 1;
  for (int row = 0; row < run.rows(); ++row) {
    if (!check_splits(run, row)) continue;
    const int64_t* splits = run.arg(1).row<int64_t>(row);
    int64_t* out = run.make_row<int64_t>(0, row, Shape{rows});
    for (int64_t r = 0; out != nullptr && r < rows; ++r) out[r] = splits[r + 1] - splits[r];
  }
}

Status row_lengths_infer(KernelCall& call) {
  call.result(DType::int64, Shape{row_count(call.spec(0))});
  call.body(row_lengths_body);
  return Status();
}

Status flat_values_infer(KernelCall& call) {
  const Spec& r = call.spec(0);
  call.result(r.dtype,
              r.shape.rank_known() ? r.shape.tail().tail().prepended(kUnknownDim) : Shape::unknown_rank());
  call.alias(0, call.argument(0));
  return Status();
}

}  // namespace

extern constinit const Kernel ragged_kernel{
    .name = "ragged",
    .params = {{.name = "values", .doc = "The rows one after the other, along the first dimension."},
               {.name = "row_splits",
                .type = "int64",
                .doc = "The start of each row, and then the number of values."}},
    .infer = ragged_infer,
    .doc =
        "Makes a ragged tensor, with rows of different lengths, as tf.RaggedTensor.from_row_splits. Splits that do not rise from 0 to the number of values are an error of the element.",
    .result = "ragged<DTYPE>[ROWS, ?].",
    .cost = "One look at each split.",
    .example = "from_tensors(ragged([1, 2, 3, 4], [0, 1, 1, 4]))",
    .output = "ragged([[1], [], [2, 3, 4]])",
    .bench = "ragged(x, [0, 100, 784])",
    .can_fail = true};

extern constinit const Kernel to_tensor_kernel{
    .name = "to_tensor",
    .params = {{.name = "r", .kind = ParamKind::ragged, .type = "T"},
               {.name = "default",
                .type = "T",
                .fallback = "none",
                .doc = "The padding of shorter rows, a scalar; none means 0, false or \"\"."}},
    .infer = to_tensor_infer,
    .doc = "Converts a ragged tensor to a dense one; its rows are padded to the longest.",
    .result = "The dtype and shape of `r`.",
    .cost = "One copy.",
    .example = "from_tensors(to_tensor(ragged([1, 2, 3, 4], [0, 1, 1, 4]), default: -1))",
    .output = "[[1, -1, -1], [-1, -1, -1], [2, 3, 4]]",
    .bench = "to_tensor(ragged(x, [0, 100, 784]))",
    .can_fail = true};

extern constinit const Kernel row_lengths_kernel{
    .name = "row_lengths",
    .params = {{.name = "r", .kind = ParamKind::ragged}},
    .infer = row_lengths_infer,
    .doc = "The number of values in each row of a ragged tensor.",
    .result = "int64[ROWS].",
    .cost = "One pass over the splits.",
    .example = "from_tensors(row_lengths(ragged([1, 2, 3, 4], [0, 1, 1, 4])))",
    .output = "[1, 0, 3]",
    .bench = "row_lengths(ragged(x, [0, 100, 784]))",
    .can_fail = true};

extern constinit const Kernel flat_values_kernel{
    .name = "flat_values",
    .params = {{.name = "r", .kind = ParamKind::ragged}},
    .infer = flat_values_infer,
    .doc = "The values of all rows of a ragged tensor, one after the other.",
    .result = "The dtype of `r`; the rows' dimension is gone.",
    .cost = "Moves no bytes.",
    .example = "from_tensors(flat_values(ragged([1, 2, 3, 4], [0, 1, 1, 4])))",
    .output = "[1, 2, 3, 4]",
    .bench = "flat_values(ragged(x, [0, 100, 784]))"};

}  // namespace weir
