// random_uniform(shape, min: 0, max: 1, dtype: float32, seed: none): independent draws from [min, max). A
// draw depends only on key, ordinal and position: Philox under the key, with the ordinal as the upper half of
// the counter.
#include <cmath>

#include "core/text.h"
#include "expr/kernels/shared/check.h"
#include "expr/kernels/shared/draw.h"
#include "expr/kernels/shared/shape_argument.h"
#include "expr/types/dispatch.h"

namespace weir {

namespace {

using Drawn = JoinT<Integers, Floats>;

template <class T>
struct Uniform {
  T low;
  T high;
  Philox philox;

  void fill(int64_t count, T* out) const {
    if constexpr (std::is_integral_v<T>) {
      for (int64_t k = 0; k < count; k += 2)
        pair(static_cast<uint64_t>(k), std::min<int64_t>(2, count - k), out + k);
    } else if constexpr (sizeof(T) == 8) {
      for (int64_t k = 0; k < count; k += 2) {
        const Philox::Block bits = philox.block(static_cast<uint64_t>(k) / 2);
        out[k] = scaled(unit_double(bits[0], bits[1]));
        if (k + 1 < count) out[k + 1] = scaled(unit_double(bits[2], bits[3]));
      }
    } else {
      for (int64_t k = 0; k < count; k += 4) {
        const Philox::Block bits = philox.block(static_cast<uint64_t>(k) / 4);
        for (int64_t l = 0; l < 4 && k + l < count; ++l) {
          out[k + l] = rounded(unit_float(narrowed(bits[static_cast<size_t>(l)])));
        }
      }
    }
  }

 private:
  // Makes two integers from one block.
  void pair(uint64_t position, int64_t count, T* out) const {
    const Philox::Block bits = philox.block(position / 2);
    out[0] = integer(position, uint64_t{bits[1]} << 32 | bits[0]);
    if (count > 1) out[1] = integer(position + 1, uint64_t{bits[3]} << 32 | bits[2]);
  }

  T integer(uint64_t position, uint64_t bits) const {
    using Unsigned = std::make_unsigned_t<T>;
    const uint64_t range = static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low));
    return static_cast<T>(static_cast<Unsigned>(low) +
                          static_cast<Unsigned>(draw_below(philox, position, bits, range)));
  }

  // Keeps as many random bits as the dtype has after its leading one, so that a draw is exact in it.
  static uint32_t narrowed(uint32_t bits) {
    if constexpr (std::is_same_v<T, Float16>) return (bits & 0x3ff) << 13;
    if constexpr (std::is_same_v<T, BFloat16>) return (bits & 0x7f) << 16;
    return bits;
  }

  // Rounding must not give the upper bound itself.
  template <class C>
  C scaled(C unit) const {
    const auto from = static_cast<C>(load(low));
    const auto to = static_cast<C>(load(high));
    const C range = to - from;
    const C value = std::isfinite(range) ? unit * range + from : unit * to + (1 - unit) * from;
    return value < load(high) ? value : std::nextafter(static_cast<C>(load(high)), static_cast<C>(load(low)));
  }
  T rounded(float unit) const {
    if constexpr (!is_half<T>) {
      return scaled(unit);
    } else {
      const T value = store<T>(scaled(unit));
      return load(value) < load(high) ? value : low;
    }
  }
};

// Null, or what is wrong with the bounds.
template <class T>
const char* refused(T low, T high) {
  if (!(load(low) < load(high))) return "expected max to be greater than min";
  if constexpr (!std::is_integral_v<T>) {
    if (!std::isfinite(load(low)) || !std::isfinite(load(high))) return "expected min and max to be finite";
  }
  return nullptr;
}

template <class T>
void random_uniform_body(KernelRun& run) {
  const auto fill = [&](int first, int rows, int64_t count, uint8_t* out) {
    for (int i = first; i < first + rows; ++i) {
      const T low = *run.arg(1).row<T>(i);
      const T high = *run.arg(2).row<T>(i);
      if (const char* wrong = refused(low, high)) {
        run.fail(i, invalid_argument(wrong));
        continue;
      }
      Uniform<T>{low, high, row_philox(run, i)}.fill(count, reinterpret_cast<T*>(out) + (i - first) * count);
    }
  };
  make_shaped(run, run.arg(0), fill);
}

Status random_uniform_infer(KernelCall& call) {
  WEIR_TRY(check_scalar(call, 1, "min"));
  WEIR_TRY(check_scalar(call, 2, "max"));
  WEIR_ASSIGN(const Shape shape, shape_from(call, 0));
  const DType dtype = call.dtype_value(3);
  bool bounds_known = false;
  const char* wrong = nullptr;
  const bool known = visit<Drawn>(dtype, [&]<class T>() {
    call.body(random_uniform_body<T>);
    bounds_known = call.constant(1) != nullptr && call.constant(2) != nullptr;
    if (bounds_known) wrong = refused(*call.constant(1)->as<T>(), *call.constant(2)->as<T>());
  });
  if (!known) return call.error(3, expected_found("an integer or float dtype", dtype_name(dtype)));
  if (wrong != nullptr) return call.error(2, wrong);
  call.result(dtype, shape);
  call.set_can_fail(!bounds_known || !shape.is_static());
  return Status();
}

}  // namespace

extern constinit const Kernel random_uniform_kernel{
    .name = "random_uniform",
    .params = {{.name = "shape", .type = "int64", .doc = "The dimensions: an integer or a vector."},
               {.name = "min", .type = "dtype", .fallback = "0", .doc = "The least value."},
               {.name = "max",
                .type = "dtype",
                .fallback = "1",
                .doc = "The upper bound, which is never drawn; it must be above `min`."},
               {.name = "dtype", .kind = ParamKind::dtype, .fallback = "float32"},
               kSeedParam},
    .infer = random_uniform_infer,
    .doc =
        "Random numbers from `min` up to but not including `max`, all equally likely; integers or floats. A float32 has 23 random bits, a float64 52, a float16 10, a bfloat16 7. An element's draws depend on the seed, the place of the call, the epoch and the element's number, never on blocks or threads.",
    .result = "The given dtype and shape.",
    .cost = "One hash per group of draws.",
    .example = "range(2) | map(x -> random_uniform([3], min: 0, max: 100, dtype: int64, seed: 1))",
    .output = "[49, 48, 28]\n[23, 77, 43]",
    .bench = "random_uniform([784], seed: 1)",
    .can_fail = true,
    .draws = true};

}  // namespace weir
