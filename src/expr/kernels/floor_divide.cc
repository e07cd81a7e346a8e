// a // b and a % b: floor division and its remainder with the divisor's sign, as in Python. Dividing integers
// by zero is an error of the element; floats follow IEEE 754.
#include <cmath>

#include "expr/kernels/shared/infer.h"
#include "expr/kernels/shared/wrap.h"

namespace weir {

namespace {

struct NotZero {
  template <class T>
  static const char* check(T, T b) {
    return b == 0 ? "integer division by zero" : nullptr;
  }
};

struct FloorDivide : NotZero {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return wrap::subtract(T{0}, a);  // the quotient of the lowest value does not fit
      }
      const T quotient = static_cast<T>(a / b);
      return static_cast<T>(quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));
    } else {
      // From the exact remainder, as in Python: a / b may round up to the next integer, and an
      // infinity has no remainder.
      if (b == 0) return a / b;
      const T remainder = std::fmod(a, b);
      T quotient = (a - remainder) / b;
      if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
      if (quotient == 0) return std::copysign(T{0}, a / b);
      const T down = std::floor(quotient);
      return quotient - down > T(0.5) ? down + 1 : down;
    }
  }
};

struct Remainder : NotZero {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_signed_v<T>) {
        if (b == -1) return 0;
      }
      const T remainder = static_cast<T>(a % b);
      return static_cast<T>(remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder);
    } else {
      const T remainder = std::fmod(a, b);
      if (remainder == 0) return std::copysign(T{0}, b);
      return (remainder < 0) != (b < 0) ? remainder + b : remainder;
    }
  }
};

template <class F>
Status floor_divide_infer(KernelCall& call) {
  if (!is_integer(call.dtype(0))) return infer_binary<Floats, F>(call, "integers or floats");
  constexpr int kBoth[] = {0, 1};
  WEIR_ASSIGN(const Shape shape, broadcast_shapes(call, kBoth));
  call.result(call.dtype(0), shape);
  visit<Integers>(call.dtype(0), [&]<class T>() { call.body(checked_body<F, T, T, T>); });
  const Tensor* divisor = call.constant(1);
  bool can_fail = divisor == nullptr || may_not_broadcast(call);
  if (divisor != nullptr) {
    visit<Integers>(call.dtype(0), [&]<class T>() {
      for (const T& entry : divisor->entries<const T>()) can_fail = can_fail || entry == 0;
    });
  }
  call.set_can_fail(can_fail);
  return Status();
}

}  // namespace

extern constinit const Kernel floor_divide_kernel = of_both(
    {.name = "//",
     .infer = floor_divide_infer<FloorDivide>,
     .doc =
         "The quotient rounded down, as in Python. An integer divided by zero is an error of the element. Integers and floats only.",
     .example = "from_tensors([7, -7] // 2)",
     .output = "[3, -4]",
     .bench = "n // 7"});

extern constinit const Kernel remainder_kernel = of_both(
    {.name = "%",
     .infer = floor_divide_infer<Remainder>,
     .doc =
         "The remainder of floor division, which has the sign of `b`, as in Python. An integer divided by zero is an error of the element. Integers and floats only.",
     .example = "from_tensors([7, -7] % 4)",
     .output = "[3, 1]",
     .bench = "n % 7"});

}  // namespace weir
