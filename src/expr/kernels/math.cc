// Functions of one argument, entry by entry: abs ceil exp floor log negative reciprocal round rsqrt sign sqrt
// square.
#include "expr/kernels/shared/math.h"

#include <cmath>

#include "core/text.h"
#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/wrap.h"

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

// Each operation rounds, so within 1.5 units in the last place.
struct Rsqrt {
  template <class T>
  T operator()(T a) const {
    return T{1} / std::sqrt(a);
  }
};

struct Reciprocal {
  template <class T>
  T operator()(T a) const {
    return T{1} / a;
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
  WEIR_TRY(check_float(call, 0));
  return infer_unary<Floats, F>(call, "a float dtype");
}

}  // namespace

extern constinit const Kernel abs_kernel = of_one(
    {.name = "abs",
     .infer = real_infer<Abs>,
     .step = StepKind::abs,
     .doc =
         "The absolute value of each entry. The lowest integer of a dtype wraps to itself. Integers and floats only.",
     .example = "from_tensors(abs([-2, 3]))",
     .output = "[2, 3]",
     .bench = "abs(x)"});

extern constinit const Kernel ceil_kernel =
    of_one({.name = "ceil",
            .infer = float_infer<Ceil>,
            .step = StepKind::ceil,
            .doc = "Rounds each entry up to a whole number. Floats only.",
            .example = "from_tensors(ceil([-1.5, 1.5]))",
            .output = "[-1.0, 2.0]",
            .bench = "ceil(x)"});

extern constinit const Kernel exp_kernel =
    of_one({.name = "exp",
            .infer = float_infer<Exp>,
            .doc = "e to the power of each entry. Floats only; gives the same bits on every machine.",
            .example = "from_tensors(exp([0.0, 1.0]))",
            .output = "[1.0, 2.7182817]",
            .bench = "exp(x)"});

extern constinit const Kernel floor_kernel =
    of_one({.name = "floor",
            .infer = float_infer<Floor>,
            .step = StepKind::floor,
            .doc = "Rounds each entry down to a whole number. Floats only.",
            .example = "from_tensors(floor([-1.5, 1.5]))",
            .output = "[-2.0, 1.0]",
            .bench = "floor(x)"});

extern constinit const Kernel log_kernel = of_one(
    {.name = "log",
     .infer = float_infer<Log>,
     .doc =
         "The natural logarithm of each entry: -inf for 0, nan for negative entries. Floats only; gives the same bits on every machine.",
     .example = "from_tensors(log([0.0, 1.0]))",
     .output = "[-inf, 0.0]",
     .bench = "log(x)"});

extern constinit const Kernel negative_kernel = of_one(
    {.name = "negative",
     .infer = [](KernelCall& call) { return infer_unary<Numbers, Negative>(call, "a dtype of numbers"); },
     .step = StepKind::negative,
     .doc =
         "Each entry with its sign changed; also written `-x`. Integers wrap, unsigned ones too. Integers, floats and complex numbers only.",
     .example = "from_tensors(negative([1, -2]))",
     .output = "[-1, 2]",
     .bench = "negative(x)"});

extern constinit const Kernel reciprocal_kernel =
    of_one({.name = "reciprocal",
            .infer = float_infer<Reciprocal>,
            .step = StepKind::reciprocal,
            .doc = "1 divided by each entry; infinite for 0. Floats only.",
            .example = "from_tensors(reciprocal([2.0, -4.0, 0.0]))",
            .output = "[0.5, -0.25, inf]",
            .bench = "reciprocal(x)"});

extern constinit const Kernel round_kernel = of_one(
    {.name = "round",
     .infer = float_infer<Round>,
     .step = StepKind::round,
     .doc = "Rounds each entry to the nearest whole number, halfway cases to the even one. Floats only.",
     .example = "from_tensors(round([0.5, 1.5, 2.6]))",
     .output = "[0.0, 2.0, 3.0]",
     .bench = "round(x)"});

extern constinit const Kernel rsqrt_kernel = of_one(
    {.name = "rsqrt",
     .infer = float_infer<Rsqrt>,
     .step = StepKind::rsqrt,
     .doc =
         "1 divided by the square root of each entry: inf for 0, nan for negative entries. Floats only; gives the same bits on every machine.",
     .example = "from_tensors(rsqrt([4.0, 0.25, 0.0]))",
     .output = "[0.5, 2.0, inf]",
     .bench = "rsqrt(x)"});

extern constinit const Kernel sign_kernel =
    of_one({.name = "sign",
            .infer = real_infer<Sign>,
            .step = StepKind::sign,
            .doc = "-1, 0 or 1 for entries below, at or above zero. nan stays nan. Integers and floats only.",
            .example = "from_tensors(sign([-5, 0, 5]))",
            .output = "[-1, 0, 1]",
            .bench = "sign(x)"});

extern constinit const Kernel sqrt_kernel =
    of_one({.name = "sqrt",
            .infer = float_infer<Sqrt>,
            .step = StepKind::sqrt,
            .doc = "The square root of each entry; nan for negative entries. Floats only.",
            .example = "from_tensors(sqrt([4.0, 9.0]))",
            .output = "[2.0, 3.0]",
            .bench = "sqrt(x)"});

extern constinit const Kernel square_kernel =
    of_one({.name = "square",
            .infer = real_infer<Square>,
            .step = StepKind::square,
            .doc = "Each entry times itself. Integers wrap. Integers and floats only.",
            .example = "from_tensors(square([2, -3]))",
            .output = "[4, 9]",
            .bench = "square(x)"});

}  // namespace weir
