// The pair of seeds for a single number: tf.data's op seed without a global seed.
#pragma once

#include <cstdint>
#include <utility>

namespace weir {

// (87654321, n mod (2^31 - 1)), with the remainder of Python, never negative.
inline std::pair<uint64_t, uint64_t> pair_of_op_seed(int64_t n) {
  constexpr uint64_t kDefaultGraphSeed = 87654321;
  constexpr int64_t kModulus = 2147483647;
  const int64_t remainder = n % kModulus;
  return {kDefaultGraphSeed, static_cast<uint64_t>(remainder < 0 ? remainder + kModulus : remainder)};
}

}  // namespace weir
