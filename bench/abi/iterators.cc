// What iterators cost through the C ABI beside the elements themselves: copies into the caller's memory,
// feeding by handle, checkpoints, and beginning again.
#include <algorithm>

#include "opened.h"
#include "report.h"

namespace weir::bench {
namespace {

void next(Opened& it) { must(weir_iterator_next(it.iterator, it.element, &it.error), it.error); }

void skip(Opened& it, int64_t rows) {
  int64_t got = 0;
  for (; rows > 0; rows -= got) {
    const int64_t wanted = std::min<int64_t>(rows, 1024);
    must(weir_iterator_next_block(it.iterator, wanted, it.element, &got, &it.error), it.error);
  }
}

constexpr int kElements = 1000;
const char* const kEndless = "range(9223372036854775807)";

void next_into(benchmark::State& state) {
  Opened it(kEndless);
  int64_t value = 0;
  weir_buffer buffer = WEIR_BUFFER_INIT;
  buffer.data = &value;
  buffer.capacity = sizeof value;
  int64_t sum = 0;
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    for (int i = 0; i < kElements; ++i) {
      must(weir_iterator_next_into(it.iterator, &buffer, 1, &it.error), it.error);
      sum += value;
    }
    rounds.add(watch.seconds(), kElements);
  }
  benchmark::DoNotOptimize(sum);
  rounds.report(state, 60);
}
BENCHMARK(next_into);

double seconds_of(weir_iterator iterator, Opened& it) {
  Stopwatch watch;
  for (int i = 0; i < kElements; ++i) must(weir_iterator_next(iterator, it.element, &it.error), it.error);
  return watch.seconds();
}

// What a feedable iterator adds to each next, in alternating pairs; the least of each.
void feedable_next(benchmark::State& state) {
  Opened it(kEndless);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  weir_iterator feedable{};
  weir_bytes handle = WEIR_BYTES_INIT;
  must(weir_iterator_spec(it.iterator, &options.spec, &it.error), it.error);
  must(weir_iterator_string_handle(it.iterator, &handle, &it.error), it.error);
  options.string_handle = handle.data;
  options.string_handle_size = handle.size;
  must(weir_iterator_create(it.runtime, {}, &options, &feedable, &it.error), it.error);
  double direct = 1e9;
  double fed = 1e9;
  for (auto _ : state) {
    direct = std::min(direct, seconds_of(it.iterator, it));
    fed = std::min(fed, seconds_of(feedable, it));
  }
  report_ns(state, (fed - direct) / kElements * 1e9, 15);
  weir_bytes_release(&handle);
  weir_iterator_destroy(feedable);
  weir_spec_unref(options.spec);
}
BENCHMARK(feedable_next);

void save_large_shuffle(benchmark::State& state) {
  Opened it(
      "range(3000000) | shuffle(1000000, seed: 1) | map(x -> x + 1, num_parallel_calls: auto) | prefetch(64)");
  skip(it, 1'000'000);
  uint64_t size = 0;
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    weir_bytes bytes = WEIR_BYTES_INIT;
    must(weir_iterator_save(it.iterator, &bytes, &it.error), it.error);
    size = bytes.size;
    weir_bytes_release(&bytes);
    rounds.add(watch.seconds(), 1);
  }
  rounds.report(state, 1e6);
  state.counters["bytes"] = static_cast<double>(size);
  state.counters["bytes_at_most"] = 16 * 1024;
}
BENCHMARK(save_large_shuffle)->Unit(benchmark::kMicrosecond);

// From a checkpoint at so many percent of 1e8 elements of a source with random access to the first element.
void restore(benchmark::State& state) {
  Opened it("range(100000000) | map(x -> x + 1, num_parallel_calls: auto) | batch(32) | prefetch(auto)");
  const int64_t batches = 100'000'000 / 32 * state.range(0) / 100;
  skip(it, batches);
  weir_bytes bytes = WEIR_BYTES_INIT;
  must(weir_iterator_save(it.iterator, &bytes, &it.error), it.error);
  weir_iterator_options options = WEIR_ITERATOR_OPTIONS_INIT;
  options.checkpoint = bytes.data;
  options.checkpoint_size = bytes.size;
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    must(weir_iterator_initialize(it.iterator, it.dataset, &options, &it.error), it.error);
    next(it);
    rounds.add(watch.seconds(), 1);
  }
  rounds.report(state, 20e6);
  weir_bytes_release(&bytes);
}
BENCHMARK(restore)->Arg(10)->Arg(90)->Unit(benchmark::kMicrosecond)->UseRealTime();

void initialise_again(benchmark::State& state) {
  Opened it("range(10) | map(x -> x * x) | batch(4)");
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    must(weir_iterator_initialize(it.iterator, it.dataset, nullptr, &it.error), it.error);
    rounds.add(watch.seconds(), 1);
  }
  rounds.report(state, 30e3);
}
BENCHMARK(initialise_again)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace weir::bench
