// The row range_c_abi through weir.hpp: what a typed loop costs.
#include <limits>

#include "report.h"
#include "weir/weir.hpp"

namespace weir::bench {
namespace {

void range_cpp(benchmark::State& state) {
  const Runtime runtime;
  Iterator iterator(runtime, range(std::numeric_limits<int64_t>::max()));
  auto elements = iterator.elements<int64_t>();
  auto at = elements.begin();
  int64_t sum = 0;
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    for (int i = 0; i < 1000; ++i) {
      sum += *at;
      ++at;
      if (at == elements.end()) state.SkipWithError("no element");
    }
    rounds.add(watch.seconds(), 1000);
  }
  benchmark::DoNotOptimize(sum);
  rounds.report(state, 40);
}
BENCHMARK(range_cpp);

}  // namespace
}  // namespace weir::bench
