// What a partition costs beside the same pipeline without one, and what its positions cost.
#include <string>
#include <vector>

#include "abi/opened.h"
#include "support.h"

namespace weir::bench {
namespace {

constexpr int64_t kElements = 1 << 19;

double seconds_of(Opened& it, int64_t rows) {
  const CpuWatch watch;
  int64_t got = 0;
  for (int64_t taken = 0; taken < kElements; taken += got) {
    must(weir_iterator_next_block(it.iterator, rows, it.element, &got, &it.error), it.error);
    if (got == 0) break;
  }
  return watch.seconds();
}

// What an element costs more through 1,024 parts of a range.
void parts_range(benchmark::State& state, int64_t rows, double target_ns) {
  Opened plain("range(1000000000000)");
  Opened parts("range(1000000000000) | partition(1024, p -> p)");
  seconds_of(parts, rows);
  Rounds rounds;
  for (auto _ : state) {
    const double without = seconds_of(plain, rows);
    rounds.add(std::max(0.0, seconds_of(parts, rows) - without), kElements);
  }
  rounds.report(state, target_ns);
}
BENCHMARK_CAPTURE(parts_range, blocks, 1024, 15)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(20);
BENCHMARK_CAPTURE(parts_range, single, 1, 60)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(20);

int64_t drain(const std::string& text) {
  Drain drain(parse(text));
  return drain.run(32);
}

// Shuffled batches of records, by processor time.
void parts_records(benchmark::State& state) {
  const std::string file = "tfrecord(\"" + record_file(1000) + "\")";
  const std::string work = " | shuffle(1000, seed: 1) | batch(32)";
  drain(file + " | partition(64, p -> p" + work + ", by: \"index\")");
  alternate(
      state, [&] { drain(file + " | partition(64, p -> p" + work + ", by: \"index\")"); },
      [&] { drain(file + work); }, 0.9);
}
BENCHMARK(parts_records)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

std::string many_parts() {
  return "tfrecord(\"" + record_file(1000) +
         "\") | partition(1024, p -> p | shuffle(1000, seed: 1), by: \"index\")";
}

void parts_save(benchmark::State& state) {
  Opened it(many_parts().c_str());
  for (int i = 0; i < 20000; ++i) must(weir_iterator_next(it.iterator, it.element, &it.error), it.error);
  Rounds rounds;
  uint64_t size = 0;
  for (auto _ : state) {
    weir_bytes bytes = WEIR_BYTES_INIT;
    const Stopwatch watch;
    must(weir_iterator_save(it.iterator, &bytes, &it.error), it.error);
    rounds.add(watch.seconds(), 1);
    size = bytes.size;
    weir_bytes_release(&bytes);
    must(weir_iterator_next(it.iterator, it.element, &it.error), it.error);
  }
  rounds.report(state, 2e6);
  state.counters["bytes"] = static_cast<double>(size);
}
BENCHMARK(parts_save)->Unit(benchmark::kMicrosecond)->Iterations(50);

// From a position to its first element.
void parts_restore(benchmark::State& state) {
  Opened it(many_parts().c_str());
  for (int i = 0; i < 20000; ++i) must(weir_iterator_next(it.iterator, it.element, &it.error), it.error);
  weir_bytes bytes = WEIR_BYTES_INIT;
  must(weir_iterator_save(it.iterator, &bytes, &it.error), it.error);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.checkpoint = bytes.data;
  options.checkpoint_size = bytes.size;
  Rounds rounds;
  for (auto _ : state) {
    weir_iterator restored{};
    const Stopwatch watch;
    must(weir_iterator_create(it.runtime, it.dataset, &options, &restored, &it.error), it.error);
    must(weir_iterator_next(restored, it.element, &it.error), it.error);
    rounds.add(watch.seconds(), 1);
    weir_iterator_destroy(restored);
  }
  rounds.report(state, 300e6);
  weir_bytes_release(&bytes);
}
BENCHMARK(parts_restore)->Unit(benchmark::kMillisecond)->Iterations(20);

}  // namespace
}  // namespace weir::bench
