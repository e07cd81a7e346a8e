// Picks the instance of a template for a dtype known at run time, and the type that arithmetic on it is done
// in.
//
//   bool known = visit<Integers>(dtype, [&]<class T>() { call.body(body<T>); });
//
// Costs a switch.
#pragma once

#include <complex>
#include <type_traits>

#include "core/dtype.h"

namespace weir {

template <class... Ts>
struct TypeList {};

template <class A, class B>
struct Join;
template <class... As, class... Bs>
struct Join<TypeList<As...>, TypeList<Bs...>> {
  using type = TypeList<As..., Bs...>;
};
template <class A, class B>
using JoinT = typename Join<A, B>::type;

using Integers = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using Floats = TypeList<float, double, Float16, BFloat16>;
using Complexes = TypeList<std::complex<float>, std::complex<double>>;
using Reals = JoinT<Integers, Floats>;
using Numbers = JoinT<Reals, Complexes>;
using Everything = JoinT<Numbers, TypeList<bool, Str>>;

template <class F, class... Ts>
bool visit_list(DType dtype, F&& f, TypeList<Ts...>) {
  return ((dtype == dtype_of<Ts> ? (f.template operator()<Ts>(), true) : false) || ...);
}

// Calls f<T>() for the type of the list that stores `dtype`; returns false if there is none.
template <class List, class F>
bool visit(DType dtype, F&& f) {
  return visit_list(dtype, f, List());
}

// The type that arithmetic on T is done in: float for the two halves, else T itself.
template <class T>
struct ComputeOf {
  using type = T;
};
template <>
struct ComputeOf<Float16> {
  using type = float;
};
template <>
struct ComputeOf<BFloat16> {
  using type = float;
};
template <class T>
using Compute = typename ComputeOf<T>::type;

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <class T>
Compute<T> load(T value) {
  if constexpr (is_half<T>) {
    return to_float(value);
  } else {
    return value;
  }
}

// Rounds to T.
template <class T>
T store(Compute<T> value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return to_float16(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(value);
  } else {
    return value;
  }
}
// Already rounded.
template <class T>
requires is_half<T> T store(T value) { return value; }

}  // namespace weir
