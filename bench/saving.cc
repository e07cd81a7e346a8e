// What saving costs in throughput: the same pipeline read with a save every thousand elements and without
// any, by the processor time of all threads.
#include <string>
#include <vector>

#include "abi/opened.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr int kBetweenSaves = 1000;

double seconds_of(Opened& it, int elements, bool saves) {
  CpuWatch watch;
  for (int i = 0; i < elements; ++i) {
    must(weir_iterator_next(it.iterator, it.element, &it.error), it.error);
    if (!saves || i % kBetweenSaves != kBetweenSaves / 2) continue;
    weir_bytes bytes = WEIR_BYTES_INIT;
    must(weir_iterator_save(it.iterator, &bytes, &it.error), it.error);
    weir_bytes_release(&bytes);
  }
  return watch.seconds();
}

// Rounds of without, with, with, without, of one iterator, whose memory is then the same for both.
void compare_saving(benchmark::State& state, const std::string& text, int elements) {
  Opened it(text.c_str());
  seconds_of(it, elements, true);
  std::vector<double> ratios;
  for (auto _ : state) {
    double ours = 0;
    double reference = seconds_of(it, elements, false);
    ours += seconds_of(it, elements, true);
    ours += seconds_of(it, elements, true);
    reference += seconds_of(it, elements, false);
    ratios.push_back(reference / ours);
  }
  report_ratios(state, std::move(ratios), 0.97);
}

void saving_memory(benchmark::State& state) {
  compare_saving(state, "range(9223372036854775807) | map(x -> x * 3) | shuffle(10000, seed: 1) | batch(32)",
                 4000);
}
BENCHMARK(saving_memory)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(60);

void saving_records(benchmark::State& state) {
  compare_saving(state,
                 "tfrecord(\"" + record_file(1000) +
                     "\") | repeat() | map(x -> x) | shuffle(10000, seed: 1) | batch(32)",
                 4000);
}
BENCHMARK(saving_records)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(30);

}  // namespace
}  // namespace weir::bench
