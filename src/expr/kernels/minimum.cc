// minimum(a, b) and maximum(a, b), entry by entry with broadcasting; nan passes through.
#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    const T least = a < b ? a : b;  // b if it is nan
    return a != a ? a : least;
  }
};

struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    const T greatest = a > b ? a : b;
    return a != a ? a : greatest;
  }
};

template <class F>
Status minimum_infer(KernelCall& call) {
  return infer_binary<Reals, F>(call, "an integer or float dtype");
}

}  // namespace

extern constinit const Kernel minimum_kernel =
    of_both({.name = "minimum",
             .infer = minimum_infer<Minimum>,
             .step = StepKind::minimum,
             .doc = "The smaller of two entries; nan if either is nan. Integers and floats only.",
             .example = "from_tensors(minimum([1, 5], 3))",
             .output = "[1, 3]",
             .bench = "minimum(x, 0.5)"});

extern constinit const Kernel maximum_kernel =
    of_both({.name = "maximum",
             .infer = minimum_infer<Maximum>,
             .step = StepKind::maximum,
             .doc = "The larger of two entries; nan if either is nan. Integers and floats only.",
             .example = "from_tensors(maximum([1, 5], 3))",
             .output = "[3, 5]",
             .bench = "maximum(x, 0.5)"});

}  // namespace weir
