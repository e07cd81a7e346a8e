// convert_image_dtype(x, dtype): an image in another dtype, scaled to its range: integers use all of theirs,
// floats [0, 1].
#include <cmath>
#include <limits>

#include "expr/kernels/shared/infer.h"

namespace weir {

namespace {

// Truncates; what is beyond the 64-bit integers becomes the nearest of these, and nan 0. Then wraps.
template <class R, class A>
R cut_to(A value) {
  using Wide = std::conditional_t<std::is_signed_v<R>, int64_t, uint64_t>;
  constexpr A kLimit = std::is_signed_v<R> ? A(0x1p63) : A(0x1p64);
  if (value >= kLimit) return static_cast<R>(std::numeric_limits<Wide>::max());
  if (value < A(0x1p63) && value > -A(0x1p63)) return static_cast<R>(static_cast<int64_t>(value));
  if (value > A(0)) return static_cast<R>(static_cast<Wide>(value));
  return value < A(0) ? static_cast<R>(std::numeric_limits<int64_t>::min()) : R(0);
}

// The ranges of two integer dtypes differ by a power of two, which wraps as it multiplies.
template <class R, class A>
R rescaled(A value) {
  constexpr int kBits = std::numeric_limits<R>::digits - std::numeric_limits<A>::digits;
  if constexpr (kBits < 0) {
    // Shifting rounds down, as dividing does.
    return static_cast<R>(value >> -kBits);
  } else {
    using Unsigned = std::make_unsigned_t<R>;
    constexpr auto kFactor = static_cast<uint64_t>(1) << (kBits & 63);
    return static_cast<R>(
        static_cast<Unsigned>(static_cast<uint64_t>(static_cast<Unsigned>(value)) * kFactor));
  }
}

template <class A, class R>
struct Convert {
  Compute<R> operator()(Compute<A> value) const {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<R>) {
      return rescaled<R, A>(value);
    } else if constexpr (std::is_integral_v<A>) {
      // First cast, then scaled, both in the dtype of the result.
      constexpr double kScale = 1.0 / static_cast<double>(std::numeric_limits<A>::max());
      if constexpr (is_half<R>) {
        return load(store<R>(static_cast<float>(value))) * load(store<R>(static_cast<float>(kScale)));
      } else {
        return static_cast<R>(value) * static_cast<R>(kScale);
      }
    } else if constexpr (std::is_integral_v<R>) {
      // The half lets 1.0 become the largest integer whatever the rounding.
      constexpr double kScale = static_cast<double>(std::numeric_limits<R>::max()) + 0.5;
      return cut_to<R>(value * static_cast<Compute<A>>(kScale));
    } else {
      return static_cast<Compute<R>>(value);
    }
  }
};

Status convert_image_dtype_infer(KernelCall& call) {
  const DType to = call.dtype_value(1);
  call.result(to, call.shape(0));
  bool from_known = false;
  bool to_known = false;
  visit<Reals>(call.dtype(0), [&]<class A>() {
    from_known = true;
    to_known = visit<Reals>(to, [&]<class R>() { call.entry_body(entries_body<Convert<A, R>, R, A>); });
  });
  if (!from_known) return wrong_dtype(call, 0, "an image of integers or floats");
  if (!to_known) return call.error(1, expected_found("an integer or float dtype", dtype_name(to)));
  if (to == call.dtype(0)) {
    call.body(nullptr);
    call.alias(0, call.argument(0));
  }
  return Status();
}

}  // namespace

extern constinit const Kernel convert_image_dtype_kernel{
    .name = "convert_image_dtype",
    .params = {{.name = "x"}, {.name = "dtype", .kind = ParamKind::dtype}},
    .infer = convert_image_dtype_infer,
    .doc =
        "Converts an image to another dtype and scales it to that range, as tf.image.convert_image_dtype. Integers range from 0 to their largest value, floats from 0 to 1. From floats to integers it truncates `x * (max + 0.5)`, without rounding the product of a half to one, as TensorFlow does; between integers it multiplies or divides by a power of two, rounding down; values out of range wrap. Floats become other floats without scaling.",
    .result = "The given dtype, the shape of `x`.",
    .cost = "One vectorised pass over the entries; none for the same dtype.",
    .example = "from_tensors(convert_image_dtype([0.0, 0.5, 1.0], uint8))",
    .output = "[0, 127, 255]",
    .bench = "convert_image_dtype(n, float32)"};

}  // namespace weir
