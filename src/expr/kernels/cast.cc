// cast(x, dtype), and each dtype's name as a function. Floats to integers truncate toward zero, integers
// wrap, to bool is != 0; a literal is converted from its written value.
#include <cmath>
#include <limits>

#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

// Truncates, then wraps. Values beyond the 64-bit integers of the target's kind (signed or unsigned) become
// the nearest of these before wrapping; nan becomes 0.
template <class To, class From>
To truncated(From value) {
  constexpr From kLimit = From(0x1p63);
  if (value > -kLimit && value < kLimit) return static_cast<To>(static_cast<int64_t>(value));
  if (value <= -kLimit) return static_cast<To>(std::numeric_limits<int64_t>::min());
  if (!(value >= kLimit)) return 0;
  if constexpr (std::is_signed_v<To>) {
    return static_cast<To>(std::numeric_limits<int64_t>::max());
  } else {
    if (value < 2 * kLimit) return static_cast<To>(static_cast<uint64_t>(value));
    return static_cast<To>(std::numeric_limits<uint64_t>::max());
  }
}

template <class To, class From>
To converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_same_v<To, Float16>) {
    return to_float16(static_cast<double>(value));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return to_bfloat16(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return truncated<To>(value);
  } else if constexpr (std::is_floating_point_v<To> || std::is_integral_v<To>) {
    return static_cast<To>(value);
  } else {
    return To(static_cast<typename To::value_type>(value));
  }
}

// Complex numbers lose their imaginary part when cast to reals.
template <class To, class From>
To cast_entry(From value) {
  if constexpr (requires { value.real(); }) {
    if constexpr (requires(To to) { to.real(); }) {
      using Part = typename To::value_type;
      return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else if constexpr (std::is_same_v<To, bool>) {
      return value != From(0);
    } else {
      return converted<To>(value.real());
    }
  } else {
    return converted<To>(value);
  }
}

template <class To>
struct Cast {
  template <class From>
  To operator()(From value) const {
    return cast_entry<To>(value);
  }
};

using Castable = JoinT<Numbers, TypeList<bool>>;

Status cast_infer(KernelCall& call) {
  const DType from = call.dtype(0);
  const DType to = call.dtype_value(1);
  call.result(to, call.shape(0));
  if (from == to) {
    call.alias(0, call.argument(0));
    return Status();
  }
  bool known = false;
  visit<Castable>(from, [&]<class From>() {
    known = visit<Castable>(to, [&]<class To>() { call.entry_body(entries_body<Cast<To>, To, From>); });
  });
  if (known) return Status();
  const char* hint = from == DType::string ? "see to_number" : to == DType::string ? "see as_string" : "";
  return call.error(
      0, expected_found(concat("something that can be cast to ", dtype_name(to)), dtype_name(from), hint));
}

}  // namespace

extern constinit const Kernel cast_kernel{
    .name = "cast",
    .params = {{.name = "x", .type = "dtype?"}, {.name = "dtype", .kind = ParamKind::dtype}},
    .infer = cast_infer,
    .step = StepKind::cast,
    .doc =
        "Converts `x` to another dtype; also written `float32(x)`. Floats are truncated toward zero, integers wrap, and bool is `x != 0`. A float beyond the 64-bit integers becomes the nearest of them before it wraps; nan becomes 0. For strings there are `to_number` and `as_string`.",
    .result = "The given dtype, the shape of `x`.",
    .cost = "One vectorised pass over the entries.",
    .example = "from_tensors((cast([1.7, -1.7], int64), uint8(300.0)))",
    .output = "([1, -1], 44)",
    .bench = "cast(n, float32)"};

}  // namespace weir
