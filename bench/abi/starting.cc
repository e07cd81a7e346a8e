// What begins and ends pipelines in a process that has used some: from the text to the first element, a
// position, and going on from it.
#include "opened.h"
#include "report.h"

namespace weir::bench {
namespace {

constexpr const char* kRange = "range(100000)";
constexpr const char* kMap = "range(100000) | map(x -> x + 1)";
constexpr const char* kBatch = "range(100000) | map(x -> x + 1) | batch(32)";
constexpr const char* kPrefetch = "range(100000) | map(x -> x + 1) | batch(32) | prefetch(2)";
constexpr int kTaken = 20;

void next(Opened& it) { must(weir_iterator_next(it.iterator, it.element, &it.error), it.error); }

// From the text to the first element, of a runtime that is there.
void first_in_process(benchmark::State& state, const char* text) {
  Opened it(text);
  Rounds rounds;
  for (auto _ : state) {
    weir_dataset dataset{};
    weir_iterator iterator{};
    const Stopwatch watch;
    must(weir_dataset_parse(it.runtime, text, WEIR_STRLEN, nullptr, 0, &dataset, &it.error), it.error);
    must(weir_iterator_create(it.runtime, dataset, nullptr, &iterator, &it.error), it.error);
    must(weir_iterator_next(iterator, it.element, &it.error), it.error);
    rounds.add(watch.seconds(), 1);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
  }
  rounds.report(state, 150e3);
}
BENCHMARK_CAPTURE(first_in_process, range, kRange)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(first_in_process, map, kMap)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(first_in_process, batch, kBatch)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(first_in_process, prefetch, kPrefetch)->Unit(benchmark::kMicrosecond);

void save_small(benchmark::State& state, const char* text) {
  Opened it(text);
  for (int i = 0; i < kTaken; ++i) next(it);
  Rounds rounds;
  for (auto _ : state) {
    weir_bytes bytes = WEIR_BYTES_INIT;
    const Stopwatch watch;
    must(weir_iterator_save(it.iterator, &bytes, &it.error), it.error);
    rounds.add(watch.seconds(), 1);
    weir_bytes_release(&bytes);
  }
  rounds.report(state, 30e3);
}
BENCHMARK_CAPTURE(save_small, range, kRange)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(save_small, map, kMap)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(save_small, batch, kBatch)->Unit(benchmark::kMicrosecond);

// A new iterator at a position, and the element there.
void restore_small(benchmark::State& state, const char* text) {
  Opened it(text);
  for (int i = 0; i < kTaken; ++i) next(it);
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
  rounds.report(state, 100e3);
  weir_bytes_release(&bytes);
}
BENCHMARK_CAPTURE(restore_small, range, kRange)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(restore_small, map, kMap)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(restore_small, batch, kBatch)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace weir::bench
