// expm1 log1p sigmoid tanh, entry by entry.
#include "expr/kernels/shared/exponential.h"

#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

struct Expm1 {
  template <class T>
  T operator()(T a) const {
    return math::expm1(a);
  }
};

struct Log1p {
  template <class T>
  T operator()(T a) const {
    return math::log1p(a);
  }
};

struct Sigmoid {
  template <class T>
  T operator()(T a) const {
    return math::sigmoid(a);
  }
};

struct Tanh {
  template <class T>
  T operator()(T a) const {
    return math::tanh(a);
  }
};

template <class F>
Status exponential_infer(KernelCall& call) {
  WEIR_TRY(check_float(call, 0));
  return infer_unary<Floats, F>(call, "a float dtype");
}

}  // namespace

extern constinit const Kernel expm1_kernel = of_one(
    {.name = "expm1",
     .infer = exponential_infer<Expm1>,
     .doc =
         "`exp(x) - 1`, precise near 0. It is within 0.6 units in the last place, 2 for float64. Floats only; gives the same bits on every machine.",
     .example = "from_tensors(expm1([0.0, 1e-7, 1.0]))",
     .output = "[0.0, 1.0000001e-07, 1.7182819]",
     .bench = "expm1(x)"});

extern constinit const Kernel log1p_kernel = of_one(
    {.name = "log1p",
     .infer = exponential_infer<Log1p>,
     .doc =
         "`log(1 + x)`, precise near 0. It is within 0.6 units in the last place, 2 for float64. It is -inf for -1, nan below. Floats only; gives the same bits on every machine.",
     .example = "from_tensors(log1p([0.0, 1e-7, -1.0]))",
     .output = "[0.0, 9.9999994e-08, -inf]",
     .bench = "log1p(x)"});

extern constinit const Kernel sigmoid_kernel = of_one(
    {.name = "sigmoid",
     .infer = exponential_infer<Sigmoid>,
     .doc =
         "The logistic function of each entry, `1 / (1 + exp(-x))`. It is within 0.6 units in the last place, 2 for float64. Floats only; gives the same bits on every machine.",
     .example = "from_tensors(sigmoid([0.0, 2.0, -100.0]))",
     .output = "[0.5, 0.8807971, 3.8e-44]",
     .bench = "sigmoid(x)"});

extern constinit const Kernel tanh_kernel = of_one(
    {.name = "tanh",
     .infer = exponential_infer<Tanh>,
     .doc =
         "The hyperbolic tangent of each entry. It is within 0.6 units in the last place, 3 for float64. Floats only; gives the same bits on every machine.",
     .example = "from_tensors(tanh([0.0, 1.0, -30.0]))",
     .output = "[0.0, 0.7615942, -1.0]",
     .bench = "tanh(x)"});

}  // namespace weir
