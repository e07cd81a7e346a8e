// Philox 4x32-10, the counter-based generator of TensorFlow's random kernels, and its seed generator.
//
// Gives the 32-bit samples of PhiloxRandom(seed, seed2) behind a SingleSampleAdapter: sample i is lane i % 4
// of block i / 4, so that any sample can be drawn without those before it. A block of four costs about 5 ns.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace weir {

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox() = default;
  // `seed` is the key, `seed2` the upper half of the counter.
  Philox(uint64_t seed, uint64_t seed2) : key_(seed), upper_(seed2) {}

  // Four samples: numbers 4 * index to 4 * index + 3.
  Block block(uint64_t index) const;
  // The samples of a full 128-bit counter and 64-bit key, as in the published test vectors.
  static Block block(Block counter, uint64_t key);

 private:
  uint64_t key_ = 0;
  uint64_t upper_ = 0;
};

// Random access to single samples; remembers the last block, so neighbouring samples cost one draw.
class PhiloxStream {
 public:
  PhiloxStream() = default;
  explicit PhiloxStream(Philox generator) : generator_(generator) {}

  uint32_t at(uint64_t number) {
    if (number / 4 != index_) {
      index_ = number / 4;
      block_ = generator_.block(index_);
    }
    return block_[number % 4];
  }

 private:
  Philox generator_;
  // No sample number divided by four reaches this.
  uint64_t index_ = UINT64_MAX;
  Philox::Block block_{};
};

// The pair of seeds for `epoch` of a node with these seeds, as tf.data's seed generator gives them: two
// samples per epoch.
inline std::pair<uint64_t, uint64_t> epoch_seeds(std::pair<uint64_t, uint64_t> seeds, uint64_t epoch) {
  PhiloxStream stream(Philox(seeds.first, seeds.second));
  uint64_t first = stream.at(2 * epoch);
  return {first, stream.at(2 * epoch + 1)};
}

}  // namespace weir
