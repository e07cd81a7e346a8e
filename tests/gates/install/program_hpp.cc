#include <weir/weir.hpp>

int main() {
  weir::Runtime runtime;
  int64_t sum = 0;
  for (int64_t x : weir::Iterator(runtime, weir::range(5).map("x -> x * x")).elements<int64_t>()) sum += x;
  return sum == 30 ? 0 : 1;
}
