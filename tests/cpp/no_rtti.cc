// A program without RTTI, as some hosts are built. It throws, catches and hands callbacks over all the same.
#include <cstdio>

#include "weir/weir.hpp"

#if defined(__GXX_RTTI)
#error "this file is there to be compiled with -fno-rtti"
#endif

int main() {
  const weir::Runtime runtime;
  const auto fails = [](int64_t x) -> int64_t {
    if (x == 1) throw weir::Error(WEIR_CODE_ABORTED, "one");
    return x * 10;
  };
  weir::Iterator iterator(runtime, weir::range(3).map(fails));
  int64_t sum = 0;
  int failed = 0;
  auto elements = iterator.elements<int64_t>();
  for (bool more = true; more;) {
    try {
      for (const int64_t x : elements) sum += x;
      more = false;
    } catch (const weir::Error& error) {
      if (!error.element_failed() || error.code() != WEIR_CODE_ABORTED) return 1;
      ++failed;
    }
  }
  std::printf("sum %d, %d failed\n", static_cast<int>(sum), failed);
  return sum == 20 && failed == 1 ? 0 : 1;
}
