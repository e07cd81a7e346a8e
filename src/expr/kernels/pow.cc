// a ** b, and pow(a, b): numbers of one dtype, broadcast. Integers wrap; a negative power of an integer is an
// error of the element.
#include "core/float_mode.h"
#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/power.h"

namespace weir {

namespace {

constexpr const char* kCost =
    "One pass over the entries. A float64 takes about twenty times as long as a float32: it is computed in 80 bits, so that every machine gives the same bits.";

struct Pow {
  template <class T>
  static const char* check(T, T b) {
    return b < 0 ? "an integer to the power of a negative integer; cast to a float first" : nullptr;
  }
  template <class T>
  T operator()(T a, T b) const {
    return math::pow(a, b);
  }
};

// Computes in long double.
void wide_body(KernelRun& run) {
  LongDoubleMode mode;
  entries_body<Pow, double, double, double>(run);
}

Status pow_infer(KernelCall& call) {
  if (!is_integer(call.dtype(0))) {
    WEIR_TRY((infer_binary<Floats, Pow>(call, "integers or floats")));
    if (call.dtype(0) == DType::float64) call.entry_body(wide_body);
    return Status();
  }
  constexpr int kBoth[] = {0, 1};
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kBoth));
  call.result(call.dtype(0), shape);
  bool can_fail = is_signed_integer(call.dtype(0)) && call.constant(1) == nullptr;
  visit<Integers>(call.dtype(0), [&]<class T>() {
    call.body(checked_body<Pow, T, T, T>);
    if (call.constant(1) == nullptr) return;
    for (const T& entry : call.constant(1)->entries<const T>()) can_fail = can_fail || entry < 0;
  });
  call.set_can_fail(can_fail || may_not_broadcast(call));
  return Status();
}

}  // namespace

extern constinit const Kernel power_kernel = of_both(
    {.name = "**",
     .infer = pow_infer,
     .doc =
         "`a` to the power of `b`. Binds to the right, and more strongly than unary minus. Integers wrap; a negative power of an integer is an error of the element. Integers and floats only.",
     .cost = kCost,
     .example = "from_tensors([2, 3] ** 2)",
     .output = "[4, 9]",
     .bench = "x ** 3.0"});

extern constinit const Kernel pow_kernel = of_both(
    {.name = "pow",
     .infer = pow_infer,
     .doc =
         "`a` to the power of `b`; also written `a ** b`. Integers wrap; a negative power of an integer is an error of the element. Integers and floats only.",
     .cost = kCost,
     .example = "from_tensors(pow([2.0, 3.0], 0.5))",
     .output = "[1.4142135, 1.7320508]",
     .bench = "pow(x, 3.0)"});

}  // namespace weir
