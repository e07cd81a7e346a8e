#include "core/philox.h"

namespace weir {

namespace {

constexpr uint32_t kMultiplierA = 0xD2511F53;
constexpr uint32_t kMultiplierB = 0xCD9E8D57;
constexpr uint32_t kWeylA = 0x9E3779B9;
constexpr uint32_t kWeylB = 0xBB67AE85;
constexpr int kRounds = 10;

}  // namespace

Philox::Block Philox::block(Block counter, uint64_t key) {
  auto key_a = static_cast<uint32_t>(key);
  auto key_b = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < kRounds; ++round) {
    uint64_t a = uint64_t{kMultiplierA} * counter[0];
    uint64_t b = uint64_t{kMultiplierB} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key_a, static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key_b, static_cast<uint32_t>(a)};
    key_a += kWeylA;
    key_b += kWeylB;
  }
  return counter;
}

Philox::Block Philox::block(uint64_t index) const {
  return block({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
                static_cast<uint32_t>(upper_), static_cast<uint32_t>(upper_ >> 32)},
               key_);
}

}  // namespace weir
