// searchsorted(a, v, side: "left"): where values would stand in sorted ones.
#include <algorithm>

#include "expr/kernels/shared/array.h"
#include "expr/kernels/shared/check.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

struct Side : KernelState {
  bool right = false;
};

Status rows_differ(const Shape& a, const Shape& v) {
  return invalid_argument(expected_found("a vector to search, or one for each vector of v",
                                         concat("the shapes ", shape_text(a), " and ", shape_text(v))));
}

// Known ranks. One vector serves values of any shape; several need the same dimensions before the last.
bool rows_agree(const Shape& a, const Shape& v) {
  if (a.rank() == 1) return true;
  if (a.rank() == 0 || a.rank() != v.rank()) return false;
  for (int d = 0; d < a.rank() - 1; ++d) {
    if (a[d] != v[d] && a[d] >= 0 && v[d] >= 0) return false;
  }
  return true;
}

template <class T>
void searchsorted_body(KernelRun& run) {
  const bool right = run.state<Side>().right;
  const Arg& a = run.arg(0);
  const Arg& v = run.arg(1);
  if (!rows_agree(a.shape, v.shape)) return fail_all(run, "searchsorted", rows_differ(a.shape, v.shape));
  int64_t* out = run.make<int64_t>(0, v.shape);
  const int64_t count = v.shape.count();
  if (out == nullptr || count == 0) return;
  const int64_t extent = a.shape[a.shape.rank() - 1];
  // The values that search the same vector.
  const int64_t width = a.shape.rank() == 1 ? count : v.shape[v.shape.rank() - 1];
  const auto less = [](T x, T y) { return load(x) < load(y); };
  for (int i = 0; i < run.rows(); ++i) {
    const T* sorted = a.row<T>(i);
    const T* values = v.row<T>(i);
    for (int64_t k = 0; k < count; ++k) {
      const T* from = sorted + k / width * extent;
      *out++ = (right ? std::upper_bound(from, from + extent, values[k], less)
                      : std::lower_bound(from, from + extent, values[k], less)) -
               from;
    }
  }
}

Status searchsorted_infer(KernelCall& call) {
  const Shape& a = call.shape(0);
  const Shape& v = call.shape(1);
  WEIR_ASSIGN(const std::string side, call.text(2));
  if (side != "left" && side != "right") {
    return call.error(2, expected_found(R"("left" or "right")", quote(side)));
  }
  if (a.rank_known() && (a.rank() == 0 || (v.rank_known() && !rows_agree(a, v)))) {
    return call.error(0, rows_differ(a, v).error().what());
  }
  auto state = std::make_shared<Side>();
  state->right = side == "right";
  const bool computes =
      visit<Reals>(call.dtype(0), [&]<class T>() { call.body(searchsorted_body<T>, state); });
  if (!computes) return wrong_dtype(call, 0, "an integer or float dtype");
  call.result(DType::int64, v);
  const bool known = a.rank_known() && (a.rank() == 1 || (a.is_static() && v.is_static()));
  call.set_can_fail(!known);
  return Status();
}

}  // namespace

extern constinit const Kernel searchsorted_kernel{
    .name = "searchsorted",
    .params = {{.name = "a",
                .type = "T",
                .doc = "A vector in ascending order, which isn't checked, or one for each vector of `v`."},
               {.name = "v",
                .type = "T",
                .doc = "The values to look for, of any shape if `a` is one vector."},
               {.name = "side",
                .kind = ParamKind::constant,
                .type = "string",
                .fallback = "\"left\"",
                .doc = R"("left": before entries that equal the value; "right": after them.)"}},
    .infer = searchsorted_infer,
    .doc =
        "The index at which to insert each value so that `a` stays sorted. It is the number of entries that are less than the value, or with \"right\" not greater. Integers and floats only.",
    .result = "int64; the shape of `v`.",
    .cost = "A binary search per value.",
    .example = "from_tensors(searchsorted([1, 3, 3, 5], [0, 3, 9]))",
    .output = "[0, 1, 4]",
    .bench = "searchsorted([0.0, 1.0, 10.0, 100.0], x)",
    .can_fail = true};

}  // namespace weir
