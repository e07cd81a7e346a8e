// The steps of tiles.h: included once for each instruction set, by a file compiled for it. Nothing here may
// be shared between those files, so all of it is in an unnamed namespace.
#pragma once

#include "core/once.h"
#include "expr/run/tile_vectors.h"
#include "expr/run/tiles.h"

namespace weir {
namespace {

using Code = void (*)(const TileStep* step, int64_t at, Register v0, Register v1, Register v2, Register v3,
                      Register v4, Register v5, Register v6, Register v7);

// What a step reads or writes at entry `at`.
inline const uint8_t* address(const TileStep* step, int64_t at) {
  return static_cast<const uint8_t*>(step->data) + at * step->stride;
}

// Has one vector computed before the next is begun: the compiler would begin with all eight, for which there
// are not enough registers.
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

// The compiler takes it that functions with vectors as parameters have done so (ADR 0065).
inline void clear_upper_halves() {
#if defined(__AVX__)
  _mm256_zeroupper();
#endif
}

// The last tile ends with the last entry, so it may overlap the one before.
void start(const TileStep* first, int64_t entries, int64_t count) {
  const auto code = reinterpret_cast<Code>(first->code);
  const Register none{};
  for (int64_t at = 0;;) {
    code(first, at, none, none, none, none, none, none, none, none);
    if (at + entries == count) return clear_upper_halves();
    at = at + 2 * entries <= count ? at + entries : count - entries;
  }
}

template <class T>
struct Load {
  static constexpr int kSteps = 1;
  const uint8_t* from;
  Load(const TileStep* step, int64_t at) : from(address(step, at)) {}
  Register operator()(Register, int i) const { return bits(read<T>(from, i)); }
};
template <class T>
struct LoadBytes {
  static constexpr int kSteps = 1;
  const uint8_t* from;
  LoadBytes(const TileStep* step, int64_t at) : from(address(step, at)) {}
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
  Store(const TileStep* step, int64_t at) : to(const_cast<uint8_t*>(address(step, at))) {}
  Register operator()(Register v, int i) const {
    *reinterpret_cast<typename VectorOf<T>::InMemory*>(to + i * kVectorBytes) = as<T>(v);
    return v;
  }
};
template <class T>
struct StoreBytes {
  static constexpr int kSteps = 1;
  uint8_t* to;
  StoreBytes(const TileStep* step, int64_t at) : to(const_cast<uint8_t*>(address(step, at))) {}
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
  Binary(const TileStep* step, int64_t at) : other(address(step, at)) {}
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
  Ternary(const TileStep* step, int64_t at) : second(address(step, at)), third(address(step + 1, at)) {}
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

constinit Once tiles_once;
Tiles tiles_of_level;

const Tiles& made_tiles() {
  tiles_once.call([] { tiles_of_level = Made().tiles(); });
  return tiles_of_level;
}

}  // namespace
}  // namespace weir
