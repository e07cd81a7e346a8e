// OpenPlaces: of places in a row that close one after the other, the next open one, in about constant time
// (Tarjan 1975: the classes of a union-find, with paths halved). Only add_up_to() allocates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weir {

class OpenPlaces {
 public:
  void add_up_to(size_t count) { next_.resize(count + 1); }
  // From now on place i is open if is_open(i).
  template <class IsOpen>
  void begin(IsOpen is_open) noexcept {
    const size_t count = next_.size() - 1;
    for (size_t i = 0; i <= count; ++i) next_[i] = i == count || is_open(i) ? i : i + 1;
  }
  void close(size_t place) noexcept { next_[place] = place + 1; }
  // The first open place behind `place`, else the first of all; 0 if none is.
  size_t after(size_t place) noexcept {
    const size_t count = next_.size() - 1;
    const size_t found = from(std::min(place + 1, count));
    return found < count ? found : count == 0 ? 0 : from(0) % count;
  }

 private:
  size_t from(size_t place) noexcept {
    for (; next_[place] != place; place = next_[place]) next_[place] = next_[next_[place]];
    return place;
  }

  // Of an open place itself, of another one further on; the last is none.
  std::vector<size_t> next_ = std::vector<size_t>(1);
};

}  // namespace weir
