// IndexShuffle: a permutation of 0 … count - 1 that is computed number by number, as TensorFlow's
// random_index_shuffle does with 8 rounds: a Feistel network with the round function and the key schedule of
// Simon (Beaulieu et al. 2013), repeated until the number is below `count`. About 50 ns a number, and no
// memory.
#pragma once

#include <array>
#include <cstdint>

namespace weir {

class IndexShuffle {
 public:
  using Key = std::array<uint32_t, 3>;

  IndexShuffle() = default;
  // REQUIRES: count > 0
  IndexShuffle(int64_t count, const Key& key);

  // REQUIRES: 0 <= index < count
  int64_t at(int64_t index) const;

 private:
  static constexpr int kRounds = 8;

  uint64_t rotated(uint64_t word, int left) const;
  uint64_t mixed(uint64_t word) const;

  uint64_t last_ = 0;
  // Of half a number.
  int bits_ = 8;
  uint64_t mask_ = 0;
  std::array<uint64_t, kRounds> keys_{};
};

}  // namespace weir
