#include "ops/shuffling/index_shuffle.h"

#include <algorithm>
#include <bit>

namespace weir {

namespace {

// Simon's constants, as TensorFlow has them.
constexpr uint64_t kKeyConstant = 0xfffffffc;
constexpr uint64_t kKeySequence = 0x7369f885192c0ef5;
constexpr int kLeastBits = 16;

}  // namespace

uint64_t IndexShuffle::rotated(uint64_t word, int left) const {
  return ((word << left) | (word >> (bits_ - left))) & mask_;
}

uint64_t IndexShuffle::mixed(uint64_t word) const {
  return (rotated(word, 1) & rotated(word, 8 % bits_)) ^ rotated(word, 2);
}

IndexShuffle::IndexShuffle(int64_t count, const Key& key) : last_(static_cast<uint64_t>(count) - 1) {
  // Where the last number is a power of two above 2^15, TensorFlow takes a bit less than it has, and gives
  // some numbers twice.
  const int width = std::max(static_cast<int>(std::bit_width(last_)), kLeastBits);
  bits_ = (width + 1) / 2;
  mask_ = (uint64_t{1} << bits_) - 1;
  for (int i = 0; i < 3; ++i) keys_[static_cast<size_t>(i)] = key[static_cast<size_t>(i)] & mask_;
  uint64_t sequence = kKeySequence & mask_;
  for (size_t i = 3; i < kRounds; ++i) {
    const uint64_t before = keys_[i - 1];
    keys_[i] = (kKeyConstant & mask_) ^ (sequence & 1) ^ keys_[i - 3] ^ rotated(before, bits_ - 3) ^
               rotated(before, bits_ - 4);
    sequence >>= 1;
  }
}

int64_t IndexShuffle::at(int64_t index) const {
  if (last_ == 0) return 0;
  auto number = static_cast<uint64_t>(index);
  do {
    uint64_t left = number >> bits_;
    uint64_t right = number & mask_;
    for (size_t round = 0; round < kRounds; round += 2) {
      left ^= mixed(right) ^ keys_[round];
      right ^= mixed(left) ^ keys_[round + 1];
    }
    number = left << bits_ | right;
  } while (number > last_);
  return static_cast<int64_t>(number);
}

}  // namespace weir
