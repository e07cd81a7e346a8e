// The path next_cpp: the loop of the path `next` through weir.hpp.
#include <memory>

#include "weir/weir.hpp"

extern "C" int64_t typed_loop(weir_iterator iterator, int32_t calls);

// Takes over the iterator, of which there is one for the whole program, and returns how many elements it
// gave.
int64_t typed_loop(weir_iterator iterator, int32_t calls) {
  static auto elements =
      std::make_unique<weir::Elements<int64_t>>(weir::Iterator(iterator).elements<int64_t>());
  int64_t count = 0;
  int64_t last = -1;
  for (const int64_t x : *elements) {
    if (x <= last) return -1;
    last = x;
    if (++count == calls) break;
  }
  return count;
}
