// Vectors of kVectorBytes for the steps of tiles: included once for each instruction set, by a file compiled
// for it. Nothing here may be shared between those files, so all of it is in an unnamed namespace.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

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

}  // namespace
}  // namespace weir
