// Integer arithmetic that wraps, as in the notation; on floats the plain operations.
#pragma once

#include <type_traits>

namespace weir {

namespace wrap {

// Unsigned and not promoted to int, in which overflow would be undefined.
template <class T, bool = std::is_integral_v<T>>
struct Wide {
  using type = T;
};
template <class T>
struct Wide<T, true> {
  using type = std::conditional_t<(sizeof(T) < sizeof(int)), unsigned, std::make_unsigned_t<T>>;
};
template <class T>
using WideT = typename Wide<T>::type;

template <class T>
T add(T a, T b) {
  return static_cast<T>(static_cast<WideT<T>>(a) + static_cast<WideT<T>>(b));
}
template <class T>
T subtract(T a, T b) {
  return static_cast<T>(static_cast<WideT<T>>(a) - static_cast<WideT<T>>(b));
}
template <class T>
T multiply(T a, T b) {
  return static_cast<T>(static_cast<WideT<T>>(a) * static_cast<WideT<T>>(b));
}
template <class T>
T negate(T a) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(WideT<T>{0} - static_cast<WideT<T>>(a));
  } else {
    return -a;
  }
}

}  // namespace wrap

}  // namespace weir
