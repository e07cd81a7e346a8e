// to_dense(s, default) and from_dense(x): between sparse tensors and dense ones.
#include <algorithm>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

// The place of each value among the entries, which must rise; false at the first that does not.
template <class F>
bool each_place(const KernelRun& run, int row, const Entries& shape, F put) {
  const Arg& indices = run.arg(0);
  const int64_t* index = indices.row<int64_t>(row);
  int64_t last = -1;
  for (int64_t value = 0; value < indices.shape[0]; ++value) {
    int64_t place = 0;
    for (int64_t d = 0; d < shape.count; ++d, ++index) {
      // Values may come from a callback.
      if (*index < 0 || *index >= shape[d]) return false;
      place = place * shape[d] + *index;
    }
    if (place <= last) return false;
    last = place;
    put(value, place);
  }
  return true;
}

bool fits(const KernelRun& run) {
  const Shape& indices = run.arg(0).shape;
  return indices.rank() == 2 && indices[0] == run.arg(1).shape.count() &&
         indices[1] == run.arg(2).shape.count();
}

template <class T>
void to_dense_body(KernelRun& run) {
  const bool given = run.arg_count() > 3;
  make_shaped(run, run.arg(2), [&](int first, int rows, int64_t count, uint8_t* data) {
    T* out = reinterpret_cast<T*>(data);
    for (int row = first; row < first + rows; ++row, out += count) {
      std::fill_n(out, count, given ? *run.arg(3).row<T>(row) : T());
      const T* values = run.arg(1).row<T>(row);
      const bool good =
          fits(run) && each_place(run, row, entries_of(run.arg(2), row),
                                  [&](int64_t value, int64_t place) { out[place] = values[value]; });
      if (!good) {
        run.fail(row, invalid_argument(
                          "expected indices within the shape in rising order, each once; found others"));
      }
    }
  });
}

Status to_dense_infer(KernelCall& call) {
  if (call.given(1)) WEIR_TRY(check_scalar(call, 1, "the default"));
  const Spec& s = call.spec(0);
  visit<Everything>(s.dtype, [&]<class T>() { call.body(to_dense_body<T>); });
  call.result(s.dtype, s.shape);
  return Status();
}

template <class T>
bool is_zero(const T& value) {
  if constexpr (std::is_same_v<T, Str>) {
    return value.size == 0;
  } else if constexpr (is_half<T>) {
    return to_float(value) == 0;
  } else {
    return value == T();
  }
}

template <class T>
void from_dense_body(KernelRun& run) {
  const Arg& x = run.arg(0);
  const int64_t count = x.shape.count();
  const int rank = x.shape.rank();
  for (int row = 0; row < run.rows(); ++row) {
    const T* entries = x.row<T>(row);
    const int64_t found = count - std::count_if(entries, entries + count, is_zero<T>);
    int64_t* indices = run.make_row<int64_t>(0, row, Shape{found, rank});
    T* values = run.make_row<T>(1, row, Shape{found});
    int64_t* shape = run.make_row<int64_t>(2, row, Shape{rank});
    if (indices == nullptr || values == nullptr || shape == nullptr) continue;
    std::copy_n(x.shape.dims().data(), rank, shape);
    int64_t at[kMaxRank] = {};
    for (int64_t k = 0; k < count; ++k) {
      if (!is_zero(entries[k])) {
        indices = std::copy_n(at, rank, indices);
        *values++ = entries[k];
      }
      for (int d = rank - 1; d >= 0 && ++at[d] == x.shape[d]; --d) at[d] = 0;
    }
  }
}

Status from_dense_infer(KernelCall& call) {
  visit<Everything>(call.dtype(0), [&]<class T>() { call.body(from_dense_body<T>); });
  call.result(Spec::sparse(call.dtype(0), call.shape(0)));
  return Status();
}

}  // namespace

extern constinit const Kernel to_dense_kernel{
    .name = "to_dense",
    .params = {{.name = "s", .kind = ParamKind::sparse, .type = "T"},
               {.name = "default",
                .type = "T",
                .fallback = "none",
                .doc = "The value of the other entries, a scalar; none means 0, false or \"\"."}},
    .infer = to_dense_infer,
    .doc =
        "Converts a sparse tensor to a dense one. Indices that are out of order, repeated or out of range are an error of the element.",
    .result = "The dtype and shape of `s`.",
    .cost = "One pass over the entries.",
    .example = "from_tensors(to_dense(sparse([[0, 1], [2, 0]], [5, 7], [3, 2]), default: -1))",
    .output = "[[-1, 5], [-1, -1], [7, -1]]",
    .bench = "to_dense(sparse(reshape(arange(784), [784, 1]), x, [784]))",
    .can_fail = true};

extern constinit const Kernel from_dense_kernel{
    .name = "from_dense",
    .params = {{.name = "x"}},
    .infer = from_dense_infer,
    .doc = "Converts a dense tensor to a sparse one, without the entries that are 0, false or \"\".",
    .result = "sparse<DTYPE>[SHAPE] of the dtype and shape of `x`.",
    .cost = "Two passes over the entries.",
    .example = "from_tensors(from_dense([[0, 5], [0, 0], [7, 0]]))",
    .output = "sparse(indices: [[0, 1], [2, 0]], values: [5, 7], shape: [3, 2])",
    .bench = "from_dense(x)"};

}  // namespace weir
