// is_nan and is_finite, entry by entry.
#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

struct IsNan {
  template <class T>
  bool operator()(T a) const {
    return a != a;
  }
};

struct IsFinite {
  template <class T>
  bool operator()(T a) const {
    return a - a == T{0};
  }
};

template <class F>
Status is_nan_infer(KernelCall& call) {
  WEIR_TRY(check_float(call, 0));
  visit<Floats>(call.dtype(0), [&]<class T>() { call.entry_body(entries_body<F, bool, T>); });
  call.result(DType::boolean, call.shape(0));
  return Status();
}

}  // namespace

extern constinit const Kernel is_finite_kernel =
    of_one({.name = "is_finite",
            .infer = is_nan_infer<IsFinite>,
            .step = StepKind::is_finite,
            .doc = "Whether each entry is finite: neither infinite nor nan. Floats only.",
            .result = "bool, of the shape of `x`.",
            .example = "from_tensors(is_finite([1.0, nan, -inf]))",
            .output = "[true, false, false]",
            .bench = "is_finite(x)"});

extern constinit const Kernel is_nan_kernel = of_one({.name = "is_nan",
                                                      .infer = is_nan_infer<IsNan>,
                                                      .step = StepKind::is_nan,
                                                      .doc = "Whether each entry is nan. Floats only.",
                                                      .result = "bool, of the shape of `x`.",
                                                      .example = "from_tensors(is_nan([1.0, nan, -inf]))",
                                                      .output = "[false, true, false]",
                                                      .bench = "is_nan(x)"});

}  // namespace weir
