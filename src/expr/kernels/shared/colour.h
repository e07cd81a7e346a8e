// Arithmetic on the colours of images: brightness, contrast, saturation, hue, HSV and grey, as TensorFlow
// does it.
//
//   colour::adjust<colour::Contrast>(in, out, {pixels, channels}, factor);
//
// Integer images represent 0 to 1: they are converted to float32 (x / max) and back (truncated x * (max +
// 0.5), limited to the dtype). float64 is converted to float32 as well; halves are computed in float32. An
// image is pixels * channels entries, channels last; results may not overlap arguments. The loops are
// compiled for each level of the processor and give the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/cpu.h"
#include "expr/types/dispatch.h"

namespace weir::colour {

struct Size {
  int64_t pixels = 0;
  int64_t channels = 0;
};

// Converts to the integer dtype; values outside become the nearest that it and float32 have, nan becomes the
// lowest.
template <class T>
[[gnu::always_inline]] inline T saturated(float value) {
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::lowest());
  if constexpr (sizeof(T) < sizeof(int32_t)) {
    constexpr auto kHigh = static_cast<float>(std::numeric_limits<T>::max());
    const float raised = value > kLow ? value : kLow;
    return static_cast<T>(static_cast<int32_t>(raised < kHigh ? raised : kHigh));
  } else {
    // The greatest that has no more bits than a float32.
    constexpr T high =
        std::numeric_limits<T>::max() -
        ((T{1} << (std::numeric_limits<T>::digits - std::numeric_limits<float>::digits)) - T{1});
    if (value >= static_cast<float>(high)) return high;
    return value > kLow ? static_cast<T>(value) : std::numeric_limits<T>::lowest();
  }
}

// An entry as a number from 0 to 1, if it is of an integer dtype, else as float32.
template <class T>
[[gnu::always_inline]] inline float to_unit(T value) {
  if constexpr (std::is_integral_v<T>) {
    constexpr auto kScale = static_cast<float>(1.0 / static_cast<double>(std::numeric_limits<T>::max()));
    return static_cast<float>(value) * kScale;
  } else {
    return static_cast<float>(load(value));
  }
}

template <class T>
[[gnu::always_inline]] inline T from_unit(float value) {
  if constexpr (std::is_integral_v<T>) {
    constexpr auto kScale = static_cast<float>(static_cast<double>(std::numeric_limits<T>::max()) + 0.5);
    return saturated<T>(value * kScale);
  } else {
    return store<T>(static_cast<Compute<T>>(value));
  }
}

namespace detail {

template <class C>
[[gnu::always_inline]] inline C greatest(C r, C g, C b) {
  const C rg = r > g ? r : g;
  return rg > b ? rg : b;
}
template <class C>
[[gnu::always_inline]] inline C least(C r, C g, C b) {
  const C rg = r < g ? r : g;
  return rg < b ? rg : b;
}

// The hue from 0 to 6 of a colour whose greatest channel is `top`, `range` above the least; 0 for greys.
template <class C>
[[gnu::always_inline]] inline C hue_of(C r, C g, C b, C top, C range) {
  const C norm = C(1) / range;
  const C from_blue = (r - g) * norm + C(4);
  const C from_green = (b - r) * norm + C(2);
  const C from_red = (g - b) * norm;
  const C hue = r == top ? from_red : g == top ? from_green : from_blue;
  const C turned = hue < C(0) ? hue + C(6) : hue;
  return range > C(0) ? turned : C(0);
}

// What a hue from 0 to 6 gives red, green and blue: 0 to 1 of the range above the least channel.
template <class C>
struct Shares {
  C r, g, b;
};
template <class C>
[[gnu::always_inline]] inline C clamped(C x) {
  // In this order nan stays nan.
  const C raised = x < C(0) ? C(0) : x;
  return raised > C(1) ? C(1) : raised;
}
template <class C>
[[gnu::always_inline]] inline Shares<C> shares_of(C hue) {
  return {clamped(std::fabs(hue - C(3)) - C(1)), clamped(C(2) - std::fabs(hue - C(2))),
          clamped(C(2) - std::fabs(hue - C(4)))};
}

}  // namespace detail

// x + delta.
struct Brightness {
  template <class T>
  [[gnu::always_inline]] static inline void loop(const T* __restrict in, T* __restrict out, const Size& size,
                                                 float delta) {
    const int64_t count = size.pixels * size.channels;
    // TensorFlow rounds the number to a float16 image's dtype.
    if constexpr (std::is_same_v<T, Float16>) delta = load(store<T>(delta));
    for (int64_t k = 0; k < count; ++k) out[k] = from_unit<T>(to_unit(in[k]) + delta);
  }
};

// (x - mean) * factor + mean, with the mean of each channel over the image.
struct Contrast {
  // Entries that are summed side by side: a whole number of pixels, or a part of one with very many channels.
  static constexpr int64_t kTile = 192;

  template <class T>
  [[gnu::always_inline]] static inline void loop(const T* __restrict in, T* __restrict out, const Size& size,
                                                 float factor) {
    const int64_t count = size.pixels * size.channels;
    for (int64_t first = 0; first < size.channels; first += kTile) {
      const int64_t own = std::min(kTile, size.channels - first);
      const bool whole = own == size.channels;
      const int64_t width = whole ? own * (kTile / own) : own;
      const int64_t step = whole ? width : size.channels;
      double sums[kTile] = {};
      for (int64_t at = first; at < count; at += step) {
        const int64_t end = std::min(width, count - at);
        for (int64_t j = 0; j < end; ++j) sums[j] += static_cast<double>(to_unit(in[at + j]));
      }
      for (int64_t j = own; j < width; ++j) sums[j % own] += sums[j];
      float means[kTile];
      for (int64_t j = 0; j < width; ++j) {
        means[j] = static_cast<float>(sums[j % own] / static_cast<double>(size.pixels));
      }
      for (int64_t at = first; at < count; at += step) {
        const int64_t end = std::min(width, count - at);
        for (int64_t j = 0; j < end; ++j) {
          out[at + j] = from_unit<T>((to_unit(in[at + j]) - means[j]) * factor + means[j]);
        }
      }
    }
  }
};

// Multiplies the saturation of HSV by the factor and holds it within 0 to 1: channels move away from the
// greatest, or towards it.
// REQUIRES: size.channels == 3
struct Saturation {
  template <class T>
  [[gnu::always_inline]] static inline void loop(const T* __restrict in, T* __restrict out, const Size& size,
                                                 float factor) {
    for (int64_t k = 0; k < size.pixels; ++k) {
      const float r = to_unit(in[3 * k]);
      const float g = to_unit(in[3 * k + 1]);
      const float b = to_unit(in[3 * k + 2]);
      const float top = detail::greatest(r, g, b);
      const float range = top - detail::least(r, g, b);
      const float saturation = top > 0.0f ? detail::clamped(range / top * factor) : 0.0f;
      const float scale = range > 0.0f ? top * saturation / range : 0.0f;
      out[3 * k] = from_unit<T>(top - (top - r) * scale);
      out[3 * k + 1] = from_unit<T>(top - (top - g) * scale);
      out[3 * k + 2] = from_unit<T>(top - (top - b) * scale);
    }
  }
};

// Turns the hue of HSV by delta, of which 1 is a whole turn; keeps the greatest and the least channel.
// REQUIRES: size.channels == 3
struct Hue {
  template <class T>
  [[gnu::always_inline]] static inline void loop(const T* __restrict in, T* __restrict out, const Size& size,
                                                 float delta) {
    const float turn = 6.0f * (delta - std::floor(delta));
    for (int64_t k = 0; k < size.pixels; ++k) {
      const float r = to_unit(in[3 * k]);
      const float g = to_unit(in[3 * k + 1]);
      const float b = to_unit(in[3 * k + 2]);
      const float top = detail::greatest(r, g, b);
      const float low = detail::least(r, g, b);
      const float range = top - low;
      const float sum = detail::hue_of(r, g, b, top, range) + turn;
      const auto shares = detail::shares_of(sum >= 6.0f ? sum - 6.0f : sum);
      out[3 * k] = from_unit<T>(low + range * shares.r);
      out[3 * k + 1] = from_unit<T>(low + range * shares.g);
      out[3 * k + 2] = from_unit<T>(low + range * shares.b);
    }
  }
};

// Colours as hue, saturation and value, all from 0 to 1, and back. Floats only; computed in Compute<T>.
// REQUIRES: size.channels == 3
struct RgbToHsv {
  template <class T>
  [[gnu::always_inline]] static inline void loop(const T* __restrict in, T* __restrict out, const Size& size,
                                                 float) {
    using C = Compute<T>;
    for (int64_t k = 0; k < size.pixels; ++k) {
      const C r = load(in[3 * k]);
      const C g = load(in[3 * k + 1]);
      const C b = load(in[3 * k + 2]);
      const C top = detail::greatest(r, g, b);
      const C range = top - detail::least(r, g, b);
      out[3 * k] = store<T>(detail::hue_of(r, g, b, top, range) / C(6));
      out[3 * k + 1] = store<T>(top > C(0) ? range / top : C(0));
      out[3 * k + 2] = store<T>(top);
    }
  }
};
struct HsvToRgb {
  template <class T>
  [[gnu::always_inline]] static inline void loop(const T* __restrict in, T* __restrict out, const Size& size,
                                                 float) {
    using C = Compute<T>;
    for (int64_t k = 0; k < size.pixels; ++k) {
      const C saturation = load(in[3 * k + 1]);
      const C value = load(in[3 * k + 2]);
      const auto shares = detail::shares_of(load(in[3 * k]) * C(6));
      const C base = C(1) - saturation;
      out[3 * k] = store<T>((base + saturation * shares.r) * value);
      out[3 * k + 1] = store<T>((base + saturation * shares.g) * value);
      out[3 * k + 2] = store<T>((base + saturation * shares.b) * value);
    }
  }
};

// 0.2989 r + 0.587 g + 0.114 b: one entry for each pixel of three.
// REQUIRES: size.channels == 3
struct RgbToGrey {
  template <class T>
  [[gnu::always_inline]] static inline void loop(const T* __restrict in, T* __restrict out, const Size& size,
                                                 float) {
    for (int64_t k = 0; k < size.pixels; ++k) {
      const float red = 0.2989f * to_unit(in[3 * k]);
      const float green = 0.587f * to_unit(in[3 * k + 1]);
      const float blue = 0.114f * to_unit(in[3 * k + 2]);
      out[k] = from_unit<T>(red + green + blue);
    }
  }
};

namespace detail {

template <class Effect, class T>
[[gnu::noinline]] void baseline(const T* in, T* out, const Size& size, float number) {
  Effect::loop(in, out, size, number);
}
template <class Effect, class T>
[[gnu::noinline]] WEIR_TARGET_AVX2 void avx2(const T* in, T* out, const Size& size, float number) {
  Effect::loop(in, out, size, number);
}

}  // namespace detail

// Computes one image.
template <class Effect, class T>
void adjust(const T* in, T* out, const Size& size, float number) {
  if constexpr (std::is_same_v<T, uint8_t> || std::is_same_v<T, float>) {
    if (cpu_level() >= CpuLevel::avx2) return detail::avx2<Effect>(in, out, size, number);
  }
  detail::baseline<Effect>(in, out, size, number);
}

}  // namespace weir::colour
