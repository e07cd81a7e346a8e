// Sums and products of positions, counts and sizes that a document, a caller or a file gives. Nothing else in
// the library asks whether such a number overflows, so that each place says what happens then: an error, or
// the largest number.
//
//   const auto bytes = checked_multiply(checked_multiply(rows, columns), entry_bytes);
//   if (!bytes) return resource_exhausted(…);
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

namespace weir {

// Empty if the result is no T.
template <std::integral T>
constexpr std::optional<T> checked_add(T a, T b) {
  T sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}
template <std::integral T>
constexpr std::optional<T> checked_multiply(T a, T b) {
  T product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Of a chain: empty if `a` is.
template <std::integral T>
constexpr std::optional<T> checked_add(std::optional<T> a, T b) {
  return a ? checked_add(*a, b) : a;
}
template <std::integral T>
constexpr std::optional<T> checked_multiply(std::optional<T> a, T b) {
  return a ? checked_multiply(*a, b) : a;
}

// The largest T if the result is larger.
// REQUIRES: a >= 0, b >= 0
template <std::integral T>
constexpr T capped_add(T a, T b) {
  return checked_add(a, b).value_or(std::numeric_limits<T>::max());
}
template <std::integral T>
constexpr T capped_multiply(T a, T b) {
  return checked_multiply(a, b).value_or(std::numeric_limits<T>::max());
}

// Counts that a saved position holds end here: counting on from there, no run overflows them.
inline constexpr int64_t kMostCounted = int64_t{1} << 62;

// How many of `count` numbers, `first` and those `step` apart after it, are numbers of 64 bits.
// REQUIRES: count >= 0
constexpr int64_t numbers_before_overflow(int64_t first, int64_t step, int64_t count) {
  if (step == 0 || count == 0) return count;
  const uint64_t room = step > 0 ? static_cast<uint64_t>(INT64_MAX) - static_cast<uint64_t>(first)
                                 : static_cast<uint64_t>(first) - static_cast<uint64_t>(INT64_MIN);
  const uint64_t distance =
      step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  const uint64_t steps = room / distance;
  return steps < static_cast<uint64_t>(count) ? static_cast<int64_t>(steps) + 1 : count;
}

}  // namespace weir
