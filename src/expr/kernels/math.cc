// Arithmetic and analysis of one argument, entry by entry: abs ceil exp floor log negative round sign sqrt
// square.
#include "expr/math.h"

#include <cmath>

#include "core/text.h"
#include "expr/infer.h"
#include "expr/wrap.h"

namespace weir {

namespace {

struct Abs {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(a);
    } else {
      return a < T{0} ? wrap::negate(a) : a;
    }
  }
};

struct Negative {
  template <class T>
  T operator()(T a) const {
    return wrap::negate(a);
  }
};

struct Sign {
  template <class T>
  T operator()(T a) const {
    const T sign = static_cast<T>((a > T{0}) - (a < T{0}));
    if constexpr (std::is_floating_point_v<T>) return a != a ? a : sign;
    return sign;
  }
};

struct Square {
  template <class T>
  T operator()(T a) const {
    return wrap::multiply(a, a);
  }
};

struct Sqrt {
  template <class T>
  T operator()(T a) const {
    return std::sqrt(a);
  }
};

struct Exp {
  template <class T>
  T operator()(T a) const {
    return math::exp(a);
  }
};

struct Log {
  template <class T>
  T operator()(T a) const {
    return math::log(a);
  }
};

struct Floor {
  template <class T>
  T operator()(T a) const {
    return std::floor(a);
  }
};

struct Ceil {
  template <class T>
  T operator()(T a) const {
    return std::ceil(a);
  }
};

struct Round {
  template <class T>
  T operator()(T a) const {
    return std::nearbyint(a);
  }
};

template <class F>
Status real_infer(KernelCall& call) {
  return infer_unary<Reals, F>(call, "an integer or float dtype");
}

template <class F>
Status float_infer(KernelCall& call) {
  if (!is_float(call.dtype(0))) {
    return call.error(
        0, expected_found("a float dtype", dtype_name(call.dtype(0)), "convert it, as in float64(x)"));
  }
  return infer_unary<Floats, F>(call, "a float dtype");
}

}  // namespace

const Kernel& abs_kernel() {
  static const Kernel def{
      .name = "abs",
      .params = {{.name = "x"}},
      .infer = real_infer<Abs>,
      .doc = "The absolute value of each entry; that of the least integer of a dtype wraps to itself."};
  return def;
}

const Kernel& ceil_kernel() {
  static const Kernel def{.name = "ceil",
                          .params = {{.name = "x"}},
                          .infer = float_infer<Ceil>,
                          .doc = "The least whole number that is not below the entry. Floats only."};
  return def;
}

const Kernel& exp_kernel() {
  static const Kernel def{
      .name = "exp",
      .params = {{.name = "x"}},
      .infer = float_infer<Exp>,
      .doc = "e to the power of each entry. Floats only; the same bits on every machine."};
  return def;
}

const Kernel& floor_kernel() {
  static const Kernel def{.name = "floor",
                          .params = {{.name = "x"}},
                          .infer = float_infer<Floor>,
                          .doc = "The greatest whole number that is not above the entry. Floats only."};
  return def;
}

const Kernel& log_kernel() {
  static const Kernel def{
      .name = "log",
      .params = {{.name = "x"}},
      .infer = float_infer<Log>,
      .doc =
          "The natural logarithm of each entry: -inf for 0, nan below. Floats only; the same bits on "
          "every machine."};
  return def;
}

const Kernel& negative_kernel() {
  static const Kernel def{
      .name = "negative",
      .params = {{.name = "x"}},
      .infer = [](KernelCall& call) { return infer_unary<Numbers, Negative>(call, "a dtype of numbers"); },
      .doc = "-x. Integers wrap, unsigned ones too."};
  return def;
}

const Kernel& round_kernel() {
  static const Kernel def{.name = "round",
                          .params = {{.name = "x"}},
                          .infer = float_infer<Round>,
                          .doc = "The nearest whole number, of two the even one. Floats only."};
  return def;
}

const Kernel& sign_kernel() {
  static const Kernel def{.name = "sign",
                          .params = {{.name = "x"}},
                          .infer = real_infer<Sign>,
                          .doc = "-1, 0 or 1 as the entry is below, at or above 0; nan stays nan."};
  return def;
}

const Kernel& sqrt_kernel() {
  static const Kernel def{.name = "sqrt",
                          .params = {{.name = "x"}},
                          .infer = float_infer<Sqrt>,
                          .doc = "The square root of each entry: nan below 0. Floats only."};
  return def;
}

const Kernel& square_kernel() {
  static const Kernel def{.name = "square",
                          .params = {{.name = "x"}},
                          .infer = real_infer<Square>,
                          .doc = "x * x. Integers wrap."};
  return def;
}

}  // namespace weir
