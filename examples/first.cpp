// The even numbers below 20, in batches of four: as short as a program gets.
#include <cstdio>
#include <weir/weir.hpp>

int main() {
  const weir::Runtime runtime;
  weir::Iterator iterator(runtime, weir::range(10).map("x -> x * 2").batch(4));
  for (auto batch : iterator.elements<weir::Span<const int64_t>>()) {
    for (const int64_t x : batch) std::printf("%d ", static_cast<int>(x));
  }
}
