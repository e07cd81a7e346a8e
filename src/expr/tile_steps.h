// The steps of tiles.h, in vectors of kVectorBytes: included once for each instruction set, by a file compiled for it.
// Nothing here may be shared between those files, so all of it is in an unnamed namespace.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "expr/tiles.h"

namespace weir {
namespace {

#if defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes)));
  typedef T InMemory __attribute__((vector_size(kVectorBytes), aligned(1), may_alias));
  static constexpr int kCount = kVectorBytes / static_cast<int>(sizeof(T));
};
template <class T>
using Vector = typename VectorOf<T>::Type;

// How a vector of any type travels.
using Register = Vector<float>;

template <class T>
Vector<T> as(Register bits) {
  return __builtin_bit_cast(Vector<T>, bits);
}
template <class V>
Register bits(V value) {
  return __builtin_bit_cast(Register, value);
}

template <size_t kBytes>
struct IntegersOf {
  using Signed = int32_t;
  using Unsigned = uint32_t;
};
template <>
struct IntegersOf<8> {
  using Signed = int64_t;
  using Unsigned = uint64_t;
};
template <class T>
using Signed = typename IntegersOf<sizeof(T)>::Signed;
template <class T>
inline constexpr bool is_floating = static_cast<T>(0.5) != 0;
// What arithmetic is done in, where integers wrap.
template <bool kFloating, class T>
struct WrappingOf {
  using Type = T;
};
template <class T>
struct WrappingOf<false, T> {
  using Type = typename IntegersOf<sizeof(T)>::Unsigned;
};
template <class T>
using Wrapping = typename WrappingOf<is_floating<T>, T>::Type;

template <class T>
Vector<T> read(const uint8_t* tile, int i) {
  return *reinterpret_cast<const typename VectorOf<T>::InMemory*>(tile + i * kVectorBytes);
}

using Code = void (*)(const TileStep* step, int64_t at, Register v0, Register v1, Register v2, Register v3,
                      Register v4, Register v5, Register v6, Register v7);

// What a step reads or writes at entry `at`.
inline const uint8_t* place(const TileStep* step, int64_t at) {
  return static_cast<const uint8_t*>(step->data) + at * step->stride;
}

// Has one vector computed before the next is begun: the compiler would begin with all eight, for which there are not
// enough registers.
inline Register ready(Register v) {
#if defined(__x86_64__)
  asm volatile("" : "+x"(v));
#endif
  return v;
}

// A step: what F makes of each vector of the tile. Then to the next one, which is a jump.
template <class F>
void step(const TileStep* step, int64_t at, Register v0, Register v1, Register v2, Register v3, Register v4,
          Register v5, Register v6, Register v7) {
  const F f(step, at);
  v0 = ready(f(v0, 0));
  v1 = ready(f(v1, 1));
  v2 = ready(f(v2, 2));
  v3 = ready(f(v3, 3));
  v4 = ready(f(v4, 4));
  v5 = ready(f(v5, 5));
  v6 = ready(f(v6, 6));
  v7 = ready(f(v7, 7));
  const TileStep* next = step + F::kSteps;
  reinterpret_cast<Code>(next->code)(next, at, v0, v1, v2, v3, v4, v5, v6, v7);
}

void end(const TileStep*, int64_t, Register, Register, Register, Register, Register, Register, Register,
         Register) {}

// The last tile ends with the last entry, so it may overlap the one before.
void start(const TileStep* first, int64_t entries, int64_t count) {
  const auto code = reinterpret_cast<Code>(first->code);
  const Register none{};
  for (int64_t at = 0;;) {
    code(first, at, none, none, none, none, none, none, none, none);
    if (at + entries == count) return;
    at = at + 2 * entries <= count ? at + entries : count - entries;
  }
}

// What the compiler makes no single instruction of.
#if defined(__AVX2__)
inline Vector<int32_t> widen_bytes(const uint8_t* from, int32_t) {
  return __builtin_bit_cast(Vector<int32_t>, _mm256_cvtepu8_epi32(_mm_loadu_si64(from)));
}
inline Vector<int64_t> widen_bytes(const uint8_t* from, int64_t) {
  return __builtin_bit_cast(Vector<int64_t>, _mm256_cvtepu8_epi64(_mm_loadu_si32(from)));
}
inline void narrow_to_bytes(Vector<int32_t> v, uint8_t* to) {
  const __m256i words = _mm256_packus_epi32(__builtin_bit_cast(__m256i, v), _mm256_setzero_si256());
  const __m256i bytes = _mm256_packus_epi16(words, words);
  _mm_storeu_si32(to, _mm256_castsi256_si128(bytes));
  _mm_storeu_si32(to + 4, _mm256_extracti128_si256(bytes, 1));
}
// a where it is nan, else `value`.
inline Vector<float> nan_or(Vector<float> a, Vector<float> value) {
  return _mm256_blendv_ps(value, a, _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
}
inline Vector<double> nan_or(Vector<double> a, Vector<double> value) {
  return _mm256_blendv_pd(value, a, _mm256_cmp_pd(a, a, _CMP_UNORD_Q));
}
inline Vector<float> lesser(Vector<float> a, Vector<float> b) { return _mm256_min_ps(a, b); }
inline Vector<double> lesser(Vector<double> a, Vector<double> b) { return _mm256_min_pd(a, b); }
inline Vector<float> greater(Vector<float> a, Vector<float> b) { return _mm256_max_ps(a, b); }
inline Vector<double> greater(Vector<double> a, Vector<double> b) { return _mm256_max_pd(a, b); }
inline Vector<float> square_root(Vector<float> a) { return _mm256_sqrt_ps(a); }
inline Vector<double> square_root(Vector<double> a) { return _mm256_sqrt_pd(a); }
template <int kMode>
Vector<float> rounded(Vector<float> a) {
  return _mm256_round_ps(a, kMode);
}
template <int kMode>
Vector<double> rounded(Vector<double> a) {
  return _mm256_round_pd(a, kMode);
}
#elif defined(__SSE4_1__)
inline Vector<int32_t> widen_bytes(const uint8_t* from, int32_t) {
  return __builtin_bit_cast(Vector<int32_t>, _mm_cvtepu8_epi32(_mm_loadu_si32(from)));
}
inline Vector<int64_t> widen_bytes(const uint8_t* from, int64_t) {
  return __builtin_bit_cast(Vector<int64_t>, _mm_cvtepu8_epi64(_mm_loadu_si16(from)));
}
inline void narrow_to_bytes(Vector<int32_t> v, uint8_t* to) {
  const __m128i words = _mm_packus_epi32(__builtin_bit_cast(__m128i, v), _mm_setzero_si128());
  _mm_storeu_si32(to, _mm_packus_epi16(words, words));
}
inline Vector<float> nan_or(Vector<float> a, Vector<float> value) {
  const __m128 nan = _mm_cmpunord_ps(a, a);
  return _mm_or_ps(_mm_and_ps(nan, a), _mm_andnot_ps(nan, value));
}
inline Vector<double> nan_or(Vector<double> a, Vector<double> value) {
  const __m128d nan = _mm_cmpunord_pd(a, a);
  return _mm_or_pd(_mm_and_pd(nan, a), _mm_andnot_pd(nan, value));
}
inline Vector<float> lesser(Vector<float> a, Vector<float> b) { return _mm_min_ps(a, b); }
inline Vector<double> lesser(Vector<double> a, Vector<double> b) { return _mm_min_pd(a, b); }
inline Vector<float> greater(Vector<float> a, Vector<float> b) { return _mm_max_ps(a, b); }
inline Vector<double> greater(Vector<double> a, Vector<double> b) { return _mm_max_pd(a, b); }
inline Vector<float> square_root(Vector<float> a) { return _mm_sqrt_ps(a); }
inline Vector<double> square_root(Vector<double> a) { return _mm_sqrt_pd(a); }
template <int kMode>
Vector<float> rounded(Vector<float> a) {
  return _mm_round_ps(a, kMode);
}
template <int kMode>
Vector<double> rounded(Vector<double> a) {
  return _mm_round_pd(a, kMode);
}
#else
inline Vector<int32_t> widen_bytes(const uint8_t* from, int32_t) {
  Vector<int32_t> out;
  for (int k = 0; k < VectorOf<int32_t>::kCount; ++k) out[k] = from[k];
  return out;
}
inline Vector<int64_t> widen_bytes(const uint8_t* from, int64_t) {
  Vector<int64_t> out;
  for (int k = 0; k < VectorOf<int64_t>::kCount; ++k) out[k] = from[k];
  return out;
}
inline void narrow_to_bytes(Vector<int32_t> v, uint8_t* to) {
  for (int k = 0; k < VectorOf<int32_t>::kCount; ++k) to[k] = static_cast<uint8_t>(v[k]);
}
template <class V>
V nan_or(V a, V value) {
  return a != a ? a : value;
}
template <class V>
V lesser(V a, V b) {
  return a < b ? a : b;
}
template <class V>
V greater(V a, V b) {
  return a > b ? a : b;
}
#endif
inline Vector<int32_t> nan_or(Vector<int32_t>, Vector<int32_t> value) { return value; }
inline Vector<int64_t> nan_or(Vector<int64_t>, Vector<int64_t> value) { return value; }
inline Vector<int32_t> lesser(Vector<int32_t> a, Vector<int32_t> b) { return a < b ? a : b; }
inline Vector<int64_t> lesser(Vector<int64_t> a, Vector<int64_t> b) { return a < b ? a : b; }
inline Vector<int32_t> greater(Vector<int32_t> a, Vector<int32_t> b) { return a > b ? a : b; }
inline Vector<int64_t> greater(Vector<int64_t> a, Vector<int64_t> b) { return a > b ? a : b; }
inline void narrow_to_bytes(Vector<int64_t> v, uint8_t* to) {
  for (int k = 0; k < VectorOf<int64_t>::kCount; ++k) to[k] = static_cast<uint8_t>(v[k]);
}

template <class T>
struct Load {
  static constexpr int kSteps = 1;
  const uint8_t* from;
  Load(const TileStep* step, int64_t at) : from(place(step, at)) {}
  Register operator()(Register, int i) const { return bits(read<T>(from, i)); }
};
template <class T>
struct LoadBytes {
  static constexpr int kSteps = 1;
  const uint8_t* from;
  LoadBytes(const TileStep* step, int64_t at) : from(place(step, at)) {}
  Vector<Signed<T>> widened(int i) const { return widen_bytes(from + i * VectorOf<T>::kCount, Signed<T>{}); }
  Register operator()(Register, int i) const { return bits(widened(i)); }
};
template <class T>
struct LoadBools : LoadBytes<T> {
  using LoadBytes<T>::LoadBytes;
  Register operator()(Register, int i) const { return bits(-this->widened(i)); }
};
template <class T>
struct Store {
  static constexpr int kSteps = 1;
  uint8_t* to;
  Store(const TileStep* step, int64_t at) : to(const_cast<uint8_t*>(place(step, at))) {}
  Register operator()(Register v, int i) const {
    *reinterpret_cast<typename VectorOf<T>::InMemory*>(to + i * kVectorBytes) = as<T>(v);
    return v;
  }
};
template <class T>
struct StoreBytes {
  static constexpr int kSteps = 1;
  uint8_t* to;
  StoreBytes(const TileStep* step, int64_t at) : to(const_cast<uint8_t*>(place(step, at))) {}
  void narrow(Vector<Signed<T>> v, int i) const { narrow_to_bytes(v, to + i * VectorOf<T>::kCount); }
  Register operator()(Register v, int i) const {
    narrow(as<Signed<T>>(v), i);
    return v;
  }
};
template <class T>
struct StoreBools : StoreBytes<T> {
  using StoreBytes<T>::StoreBytes;
  Register operator()(Register v, int i) const {
    this->narrow(-as<Signed<T>>(v), i);
    return v;
  }
};

// F::of(tile, other), in the type T.
template <class T, class F>
struct Binary {
  static constexpr int kSteps = 1;
  const uint8_t* other;
  Binary(const TileStep* step, int64_t at) : other(place(step, at)) {}
  Register operator()(Register v, int i) const { return bits(F::of(as<T>(v), read<T>(other, i))); }
};
template <class F>
struct Reversed {
  template <class V>
  static auto of(V a, V b) {
    return F::of(b, a);
  }
};
template <class T, class F>
struct Unary {
  static constexpr int kSteps = 1;
  Unary(const TileStep*, int64_t) {}
  Register operator()(Register v, int) const { return bits(F::template of<T>(as<T>(v))); }
};
template <class T, class F>
struct Ternary {
  static constexpr int kSteps = 2;
  const uint8_t* second;
  const uint8_t* third;
  Ternary(const TileStep* step, int64_t at) : second(place(step, at)), third(place(step + 1, at)) {}
  Register operator()(Register v, int i) const {
    return bits(F::of(as<T>(v), read<T>(second, i), read<T>(third, i)));
  }
};

struct Add {
  template <class V>
  static V of(V a, V b) {
    return a + b;
  }
};
struct Subtract {
  template <class V>
  static V of(V a, V b) {
    return a - b;
  }
};
struct Multiply {
  template <class V>
  static V of(V a, V b) {
    return a * b;
  }
};
struct Divide {
  template <class V>
  static V of(V a, V b) {
    return a / b;
  }
};
struct Minimum {
  template <class V>
  static V of(V a, V b) {
    return nan_or(a, lesser(a, b));
  }
};
struct Maximum {
  template <class V>
  static V of(V a, V b) {
    return nan_or(a, greater(a, b));
  }
};
struct Equal {
  template <class V>
  static auto of(V a, V b) {
    return a == b;
  }
};
struct NotEqual {
  template <class V>
  static auto of(V a, V b) {
    return a != b;
  }
};
struct Less {
  template <class V>
  static auto of(V a, V b) {
    return a < b;
  }
};
struct LessEqual {
  template <class V>
  static auto of(V a, V b) {
    return a <= b;
  }
};
struct Greater {
  template <class V>
  static auto of(V a, V b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class V>
  static auto of(V a, V b) {
    return a >= b;
  }
};
struct And {
  template <class V>
  static V of(V a, V b) {
    return a & b;
  }
};
struct Or {
  template <class V>
  static V of(V a, V b) {
    return a | b;
  }
};
struct Not {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    return ~a;
  }
};

struct Clip {
  template <class V>
  static V of(V x, V low, V high) {
    // Where they compare to neither, the second one is taken.
    return greater(low, lesser(high, x));
  }
};
struct Choose {
  template <class V>
  static V of(V c, V a, V b) {
    return c < 0 ? a : b;
  }
};

struct Abs {
  template <class T>
  static auto of(Vector<T> a) {
    if constexpr (is_floating<T>) {
      using Integer = Signed<T>;
      constexpr auto kAllButSign = static_cast<Integer>(~(Integer{1} << (sizeof(T) * 8 - 1)));
      return as<Integer>(bits(a)) & kAllButSign;
    } else {
      const auto unsigned_a = as<Wrapping<T>>(bits(a));
      return bits(a < 0 ? as<T>(bits(-unsigned_a)) : a);
    }
  }
};
struct Negative {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    return -a;
  }
};
struct Square {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    return a * a;
  }
};
struct Sign {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    const Vector<T> zero{};
    const Vector<T> one = zero + T{1};
    const Vector<T> sign = (a > zero ? one : zero) - (a < zero ? one : zero);
    return nan_or(a, sign);
  }
};
struct IsNan {
  template <class T>
  static auto of(Vector<T> a) {
    return a != a;
  }
};
struct IsFinite {
  template <class T>
  static auto of(Vector<T> a) {
    return a - a == Vector<T>{};
  }
};
struct ToFloat {
  template <class T>
  static auto of(Vector<T> a) {
    if constexpr (sizeof(T) == 4) {
      return __builtin_convertvector(a, Vector<float>);
    } else {
      return __builtin_convertvector(a, Vector<double>);
    }
  }
};
struct FromBool {
  template <class T>
  static auto of(Vector<T> mask) {
    const Vector<T> one = Vector<T>{} + T{1};
    return as<Signed<T>>(bits(mask)) & as<Signed<T>>(bits(one));
  }
};
struct ToBool {
  template <class T>
  static auto of(Vector<T> a) {
    return a != Vector<T>{};
  }
};

#if defined(__SSE4_1__)
#define WEIR_TILES_ROUND
struct Sqrt {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    return square_root(a);
  }
};
struct Rsqrt {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    return T{1} / square_root(a);
  }
};
struct Floor {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    return rounded<_MM_FROUND_FLOOR>(a);
  }
};
struct Ceil {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    return rounded<_MM_FROUND_CEIL>(a);
  }
};
struct Round {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    return rounded<_MM_FROUND_RINT>(a);
  }
};
#endif
struct Reciprocal {
  template <class T>
  static Vector<T> of(Vector<T> a) {
    return T{1} / a;
  }
};

class Made {
 public:
  Made() {
    made_.vector_bytes = kVectorBytes;
    made_.start = start;
    for (auto& code : made_.steps[static_cast<size_t>(StepKind::end)])
      code = reinterpret_cast<void (*)()>(static_cast<Code>(end));
    add_moves();
    add_arithmetic();
    add_comparisons();
    add_functions();
  }
  const Tiles& tiles() const { return made_; }

 private:
  template <class F>
  void set(StepKind kind, TileLane lane) {
    made_.steps[static_cast<size_t>(kind)][static_cast<size_t>(lane)] =
        reinterpret_cast<void (*)()>(static_cast<Code>(step<F>));
  }
  // F<T> for the type of each lane.
  template <template <class> class F>
  void floats(StepKind kind) {
    set<F<float>>(kind, TileLane::float32);
    set<F<double>>(kind, TileLane::float64);
  }
  template <template <class> class F>
  void integers(StepKind kind) {
    set<F<int32_t>>(kind, TileLane::int32);
    set<F<int64_t>>(kind, TileLane::int64);
  }
  template <template <class> class F>
  void all(StepKind kind) {
    floats<F>(kind);
    integers<F>(kind);
  }
  // The same, bound to an operation.
  template <class F>
  struct Of {
    template <class T>
    using Two = Binary<T, F>;
    template <class T>
    using Swapped = Binary<T, Reversed<F>>;
    template <class T>
    using Wrapped = Binary<Wrapping<T>, F>;
    template <class T>
    using WrappedSwapped = Binary<Wrapping<T>, Reversed<F>>;
    template <class T>
    using One = Unary<T, F>;
    template <class T>
    using WrappedOne = Unary<Wrapping<T>, F>;
    template <class T>
    using Three = Ternary<T, F>;
  };

  void add_moves() {
    all<Load>(StepKind::load);
    all<LoadBytes>(StepKind::load_bytes);
    all<LoadBools>(StepKind::load_bools);
    all<Store>(StepKind::store);
    all<StoreBytes>(StepKind::store_bytes);
    all<StoreBools>(StepKind::store_bools);
    integers<Of<ToFloat>::One>(StepKind::to_float);
    all<Of<FromBool>::One>(StepKind::from_bool);
    all<Of<ToBool>::One>(StepKind::to_bool);
    integers<Of<Choose>::Three>(StepKind::choose);
  }
  void add_arithmetic() {
    all<Of<Add>::Wrapped>(StepKind::add);
    all<Of<Subtract>::Wrapped>(StepKind::subtract);
    all<Of<Subtract>::WrappedSwapped>(StepKind::subtract_from);
    all<Of<Multiply>::Wrapped>(StepKind::multiply);
    floats<Of<Divide>::Two>(StepKind::divide);
    floats<Of<Divide>::Swapped>(StepKind::divide_into);
    all<Of<Minimum>::Two>(StepKind::minimum);
    all<Of<Minimum>::Swapped>(StepKind::minimum_with);
    all<Of<Maximum>::Two>(StepKind::maximum);
    all<Of<Maximum>::Swapped>(StepKind::maximum_with);
    all<Of<Clip>::Three>(StepKind::clip);
  }
  void add_comparisons() {
    all<Of<Equal>::Two>(StepKind::equal);
    all<Of<NotEqual>::Two>(StepKind::not_equal);
    all<Of<Less>::Two>(StepKind::less);
    all<Of<LessEqual>::Two>(StepKind::less_equal);
    all<Of<Greater>::Two>(StepKind::greater);
    all<Of<GreaterEqual>::Two>(StepKind::greater_equal);
    integers<Of<And>::Two>(StepKind::bits_and);
    integers<Of<Or>::Two>(StepKind::bits_or);
    integers<Of<Not>::One>(StepKind::bits_not);
    floats<Of<IsNan>::One>(StepKind::is_nan);
    floats<Of<IsFinite>::One>(StepKind::is_finite);
  }
  void add_functions() {
    all<Of<Abs>::One>(StepKind::abs);
    all<Of<Negative>::WrappedOne>(StepKind::negative);
    all<Of<Square>::WrappedOne>(StepKind::square);
    all<Of<Sign>::One>(StepKind::sign);
    floats<Of<Reciprocal>::One>(StepKind::reciprocal);
#if defined(WEIR_TILES_ROUND)
    floats<Of<Sqrt>::One>(StepKind::sqrt);
    floats<Of<Rsqrt>::One>(StepKind::rsqrt);
    floats<Of<Floor>::One>(StepKind::floor);
    floats<Of<Ceil>::One>(StepKind::ceil);
    floats<Of<Round>::One>(StepKind::round);
#endif
  }

  Tiles made_{};
};

const Tiles& made_tiles() {
  static const Made made;
  return made.tiles();
}

}  // namespace
}  // namespace weir
