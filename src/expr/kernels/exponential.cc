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

const Kernel& expm1_kernel() {
  static const Kernel def{
      .name = "expm1",
      .params = {{.name = "x"}},
      .infer = exponential_infer<Expm1>,
      .doc =
          "`exp(x) - 1`, precise near 0. It is within 0.6 units in the last place, 2 for float64. Floats only; gives the same bits on every machine.",
      .result = "The dtype and shape of `x`.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors(expm1([0.0, 1e-7, 1.0]))",
      .output = "[0.0, 1.0000001e-07, 1.7182819]",
      .bench = "expm1(x)"};
  return def;
}

const Kernel& log1p_kernel() {
  static const Kernel def{
      .name = "log1p",
      .params = {{.name = "x"}},
      .infer = exponential_infer<Log1p>,
      .doc =
          "`log(1 + x)`, precise near 0. It is within 0.6 units in the last place, 2 for float64. It is -inf for -1, nan below. Floats only; gives the same bits on every machine.",
      .result = "The dtype and shape of `x`.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors(log1p([0.0, 1e-7, -1.0]))",
      .output = "[0.0, 9.9999994e-08, -inf]",
      .bench = "log1p(x)"};
  return def;
}

const Kernel& sigmoid_kernel() {
  static const Kernel def{
      .name = "sigmoid",
      .params = {{.name = "x"}},
      .infer = exponential_infer<Sigmoid>,
      .doc =
          "The logistic function of each entry, `1 / (1 + exp(-x))`. It is within 0.6 units in the last place, 2 for float64. Floats only; gives the same bits on every machine.",
      .result = "The dtype and shape of `x`.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors(sigmoid([0.0, 2.0, -100.0]))",
      .output = "[0.5, 0.8807971, 3.8e-44]",
      .bench = "sigmoid(x)"};
  return def;
}

const Kernel& tanh_kernel() {
  static const Kernel def{
      .name = "tanh",
      .params = {{.name = "x"}},
      .infer = exponential_infer<Tanh>,
      .doc =
          "The hyperbolic tangent of each entry. It is within 0.6 units in the last place, 3 for float64. Floats only; gives the same bits on every machine.",
      .result = "The dtype and shape of `x`.",
      .cost = "One vectorised pass over the entries.",
      .example = "from_tensors(tanh([0.0, 1.0, -30.0]))",
      .output = "[0.0, 0.7615942, -1.0]",
      .bench = "tanh(x)"};
  return def;
}

}  // namespace weir
