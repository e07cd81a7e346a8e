// saturate_cast(x, dtype): like cast, but values that the dtype does not have become the nearest that it has.
#include <cmath>
#include <limits>
#include <utility>

#include "core/text.h"
#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

// The largest and smallest finite values.
template <class To>
struct Limits {
  static constexpr To low = std::numeric_limits<To>::lowest();
  static constexpr To high = std::numeric_limits<To>::max();
};
template <>
struct Limits<Float16> {
  static constexpr float low = -65504.0f;
  static constexpr float high = 65504.0f;
};
template <>
struct Limits<BFloat16> {
  static constexpr float low = -0x1.fep127f;
  static constexpr float high = 0x1.fep127f;
};

// How many bits of a number a float dtype has.
template <class From>
constexpr int kDigits = std::is_same_v<From, Float16>    ? 11
                        : std::is_same_v<From, BFloat16> ? 8
                                                         : std::numeric_limits<From>::digits;

// The greatest value of an integer dtype that the float dtype has, too; of the least ones it has each that it
// reaches.
template <class To, class From>
constexpr To highest() {
  constexpr int beyond = std::numeric_limits<To>::digits - kDigits<From>;
  if constexpr (beyond <= 0) {
    return std::numeric_limits<To>::max();
  } else {
    return std::numeric_limits<To>::max() - ((To{1} << beyond) - To{1});
  }
}

// nan stays.
template <class T>
T between(T value, T low, T high) {
  const T capped = value > high ? high : value;
  return capped < low ? low : capped;
}

// From is the type that arithmetic with A is done in.
template <class To, class A, class From>
To saturated(From value) {
  using Bound = Limits<To>;
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    if (std::cmp_greater(value, Bound::high)) return Bound::high;
    return std::cmp_less(value, Bound::low) ? Bound::low : static_cast<To>(value);
  } else if constexpr (std::is_integral_v<To>) {
    constexpr To high = highest<To, A>();
    if (value >= static_cast<From>(high)) return high;
    if (value <= static_cast<From>(Bound::low)) return Bound::low;
    // nan becomes 0.
    return value == value ? static_cast<To>(value) : To{0};
  } else if constexpr (is_half<To>) {
    using Wide = std::conditional_t<std::is_same_v<From, float>, float, double>;
    const Wide clamped = between(static_cast<Wide>(value), Wide{Bound::low}, Wide{Bound::high});
    if constexpr (std::is_same_v<To, Float16>) {
      return to_float16(clamped);
    } else {
      return to_bfloat16(static_cast<float>(clamped));
    }
  } else if constexpr (std::is_same_v<To, float> && std::is_same_v<From, double>) {
    return static_cast<float>(between(value, double{Bound::low}, double{Bound::high}));
  } else {
    return static_cast<To>(value);
  }
}

template <class A, class To>
struct SaturateCast {
  To operator()(Compute<A> value) const {
    if constexpr (!std::is_integral_v<A>) value = between(value, Limits<A>::low, Limits<A>::high);
    return saturated<To, A>(value);
  }
};

Status saturate_cast_infer(KernelCall& call) {
  const DType from = call.dtype(0);
  const DType to = call.dtype_value(1);
  if (!is_integer(from) && !is_float(from)) return wrong_dtype(call, 0, "an integer or float dtype");
  if (!is_integer(to) && !is_float(to)) {
    return call.error(1, expected_found("an integer or float dtype", dtype_name(to)));
  }
  call.result(to, call.shape(0));
  if (from == to && is_integer(to)) {
    call.alias(0, call.argument(0));
    return Status();
  }
  visit<Reals>(from, [&]<class From>() {
    visit<Reals>(to, [&]<class To>() { call.entry_body(entries_body<SaturateCast<From, To>, To, From>); });
  });
  return Status();
}

}  // namespace

extern constinit const Kernel saturate_cast_kernel{
    .name = "saturate_cast",
    .params = {{.name = "x"}, {.name = "dtype", .kind = ParamKind::dtype}},
    .infer = saturate_cast_infer,
    .doc =
        "Converts `x` to another integer or float dtype, limiting values to its range. Values outside the range, infinities included, become the nearest finite value that both dtypes can represent. To an integer dtype, floats are truncated toward zero and nan becomes 0.",
    .result = "The given dtype, the shape of `x`.",
    .cost = "One pass over the entries.",
    .example = "from_tensors(saturate_cast([300.7, -5.5, 77.9], uint8))",
    .output = "[255, 0, 77]",
    .bench = "saturate_cast(x, uint8)"};

}  // namespace weir
