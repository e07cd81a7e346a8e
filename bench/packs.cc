// What pack costs per token and leaves empty, and what mix_datasets and schedule cost per element, by the
// processor time of all threads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support.h"

namespace weir::bench {
namespace {

constexpr int64_t kLength = 2048;
constexpr int64_t kSequences = 20000;

// Lengths as instruction data has them: most of a few hundred tokens, some of thousands.
struct Sequences {
  Tensor tokens;
  Tensor splits = Tensor::allocate(DType::int64, Shape{kSequences + 1});

  Sequences() {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> length(std::log(230), 0.9);
    int64_t total = 0;
    for (int64_t i = 0; i <= kSequences; ++i) {
      splits.as<int64_t>()[i] = total;
      total += std::clamp<int64_t>(std::llround(length(random)), 8, kLength);
    }
    total = splits.as<int64_t>()[kSequences];
    tokens = Tensor::allocate(DType::int32, Shape{total});
    for (int64_t i = 0; i < total; ++i) tokens.as<int32_t>()[i] = static_cast<int32_t>(i);
  }
};

const Sequences& sequences() {
  static const Sequences made;
  return made;
}

DocumentRef packed(const std::string& strategy, int bins) {
  const Sequences& given = sequences();
  Handed handed;
  handed["rows"] =
      HandedValue{Spec::ragged(DType::int32, Shape{kSequences, kUnknownDim}), {given.tokens, given.splits}};
  return parse("from_tensors(@rows) | unbatch() | pack(" + std::to_string(kLength) + ", strategy: \"" +
                   strategy + "\", bins: " + std::to_string(bins) + ")",
               handed);
}

void pack(benchmark::State& state, const std::string& strategy, int bins) {
  const DocumentRef document = packed(strategy, bins);
  const int64_t tokens = sequences().tokens.count();
  Rounds rounds;
  int64_t elements = 0;
  for (auto _ : state) {
    const CpuWatch watch;
    elements = Drain(document).run(8);
    rounds.add(watch.seconds(), tokens);
  }
  rounds.report(state, 20);
  const auto places = static_cast<double>(elements * kLength);
  state.counters["padding_percent"] = 100 * (places - static_cast<double>(tokens)) / places;
}
BENCHMARK_CAPTURE(pack, first_fit_64, "first_fit", 64)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(pack, first_fit_1000, "first_fit", 1000)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(pack, best_fit_64, "best_fit", 64)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(pack, best_fit_1000, "best_fit", 1000)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(pack, concat, "concat", 1)->Unit(benchmark::kMillisecond)->Iterations(10);

void elements(benchmark::State& state, const std::string& text) {
  const DocumentRef document = parse(text);
  Rounds rounds;
  for (auto _ : state) {
    const CpuWatch watch;
    const int64_t rows = Drain(document).run(1024, 1 << 20);
    rounds.add(watch.seconds(), rows);
  }
  rounds.report(state, 20);
}
BENCHMARK_CAPTURE(elements, mix_datasets, "mix_datasets([counter(), counter(), counter()], [0.5, 0.3, 0.2])")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);
BENCHMARK_CAPTURE(elements, schedule,
                  "schedule([(0, [0.5, 0.3, 0.2]), (500000, [0.2, 0.3, 0.5])], interpolation: \"linear\")")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);

}  // namespace
}  // namespace weir::bench
