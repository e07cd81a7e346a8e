// The order of shuffle's draws, and which elements a buffer holds after so many of them.
//
// A shuffle keeps elements in a ring of `capacity` slots: element e is put into slot e % capacity. Draw t
// takes the element `sample(t) % n` slots after slot t % capacity, where n is the number of elements, and
// moves the element of that front slot into the hole; then element capacity + t is put into the front slot.
// So the slots follow from the draws alone. A draw costs a sample; a rewind takes about N ln N steps of some
// nanoseconds and 16 to 32 bytes per slot.
#pragma once

#include <cstdint>
#include <vector>

#include "core/philox.h"

namespace weir {

// How many rows of its input a restored shuffle rereads on average in its steady state: N (ln N + 0.58),
// since the oldest of N equally likely elements has been passed over that often. 8 N for a buffer of 1,000,
// 14 N for a million.
double shuffle_reread_rows(double buffer_size);

class ShuffleDraws {
 public:
  ShuffleDraws() = default;
  ShuffleDraws(uint64_t seed, uint64_t seed2) : samples_(Philox(seed, seed2)) {}

  // A number of elements that many draws pick among: their remainders need no division (Lemire, Kaser and
  // Kurz 2019).
  class Among {
   public:
    explicit Among(int64_t count)
        : count_(count),
          inverse_(count <= INT64_C(0xffffffff) ? UINT64_MAX / static_cast<uint64_t>(count) + 1 : 0) {}
    int64_t count() const { return count_; }
    // sample % count, or the sample itself if there are more than a sample can tell apart.
    int64_t pick(uint32_t sample) const {
      if (count_ > INT64_C(0xffffffff)) return sample;
      return static_cast<int64_t>(
          (static_cast<unsigned __int128>(inverse_ * sample) * static_cast<unsigned __int128>(count_)) >> 64);
    }

   private:
    int64_t count_;
    uint64_t inverse_;
  };
  int64_t offset(int64_t number, const Among& among) {
    return among.pick(samples_.at(static_cast<uint64_t>(number)));
  }
  // How far after the front draw `number` picks among `count` elements.
  int64_t offset(int64_t number, int64_t count) {
    const uint32_t sample = samples_.at(static_cast<uint64_t>(number));
    if (count <= INT64_C(0xffffffff)) return sample % static_cast<uint32_t>(count);
    return sample;
  }

 private:
  PhiloxStream samples_;
};

// Computes, backwards in time, what the slots hold after `draws` draws and `values` elements put in.
class ShuffleRewind {
 public:
  struct Held {
    int64_t element;
    int64_t slot;
  };

  // REQUIRES: 0 <= draws <= values, values - draws <= capacity
  ShuffleRewind(int64_t capacity, int64_t draws, int64_t values, ShuffleDraws order);

  // Does up to `steps` steps; returns true when done.
  bool run(int64_t steps);
  // The elements held, oldest first.
  // REQUIRES: done
  int64_t size() const { return values_ - draws_; }
  Held operator[](int64_t i) const;

 private:
  int64_t capacity_;
  int64_t draws_;
  int64_t values_;
  ShuffleDraws order_;
  // Of a full buffer.
  ShuffleDraws::Among full_;
  // Draws not yet undone.
  int64_t step_;
  int64_t unresolved_;
  // For each slot at that time: the slot in which its element ended, or -1 if that doesn't matter.
  std::vector<int64_t> destination_;
  // Newest first.
  std::vector<Held> held_;
};

}  // namespace weir
