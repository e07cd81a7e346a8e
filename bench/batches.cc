// Batches of rows in memory over copies of the same bytes, and what a memory cache gives and takes.
#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "support.h"

namespace weir::bench {
namespace {

constexpr size_t kBatch = 128;
constexpr size_t kBytes = size_t{128} << 20;

// Bytes that lie in memory, more than the caches hold.
const Tensor& bytes_in_memory() {
  static const Tensor tensor = [] {
    Tensor out = Tensor::allocate(DType::uint8, Shape{static_cast<int64_t>(kBytes)});
    std::memset(out.data, 1, kBytes);
    return out;
  }();
  return tensor;
}

void batch_scalars(benchmark::State& state) {
  DocumentRef document = parse("range(4000000) | batch(128)");
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    const int64_t elements = Drain(document).run(1) * static_cast<int64_t>(kBatch);
    rounds.add(watch.seconds(), elements);
  }
  rounds.report(state, 10);
}
BENCHMARK(batch_scalars)->Unit(benchmark::kMillisecond);

// Rows of that size, in order or at random, over copying as many into a buffer that stays.
void batch_rows(benchmark::State& state, size_t row_bytes, bool at_random, double least) {
  const Tensor& all = bytes_in_memory();
  const auto rows = static_cast<int64_t>(kBytes / row_bytes);
  Tensor table = all;
  table.shape = Shape{rows, static_cast<int64_t>(row_bytes)};
  Handed handed;
  handed["rows"] = HandedValue{Spec::tensor(DType::uint8, table.shape), {table}};
  std::vector<size_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), size_t{0});
  if (at_random) std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  DocumentRef document = parse(std::string("from_tensor_slices(@rows)") +
                                   (at_random ? " | global_shuffle(seed: 1)" : "") + " | batch(128)",
                               handed);
  std::vector<uint8_t> target(kBatch * row_bytes);
  const double seconds = alternate(
      state, [&] { Drain(document).run(1); },
      [&] {
        for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
          std::memcpy(target.data() + row % kBatch * row_bytes, all.data + order[row] * row_bytes, row_bytes);
          benchmark::ClobberMemory();
        }
      },
      least);
  state.counters["GB_per_s"] = static_cast<double>(rows) * static_cast<double>(row_bytes) / seconds / 1e9;
}
BENCHMARK_CAPTURE(batch_rows, 1024, 1024, false, 0.7)->Unit(benchmark::kMillisecond)->Iterations(15);
BENCHMARK_CAPTURE(batch_rows, 150528, 150528, false, 0.75)->Unit(benchmark::kMillisecond)->Iterations(15);
BENCHMARK_CAPTURE(batch_rows, 4096_at_random, 4096, true, 0.9)->Unit(benchmark::kMillisecond)->Iterations(15);
BENCHMARK_CAPTURE(batch_rows, 65536_at_random, 65536, true, 0.9)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(15);

// Elements of 1 KB a second from a cache that is full.
void cache_replay(benchmark::State& state) {
  constexpr int64_t kElements = 50000;
  DocumentRef document = parse("range(50000) | map(x -> full([128], x)) | cache() | repeat(21)");
  double rate = 0;
  for (auto _ : state) {
    Drain drain(document);
    int64_t elements = 0;
    while (elements < kElements) elements += drain.next(128);
    const Stopwatch watch;
    rate = std::max(rate, static_cast<double>(drain.run(128)) / watch.seconds());
  }
  report_rate(state, rate, 8e6, 1);
}
BENCHMARK(cache_replay)->Unit(benchmark::kMillisecond);

// Bytes of memory for each int64 in a cache.
void cache_bytes(benchmark::State& state) {
  constexpr int64_t kElements = 1'000'000;
  DocumentRef document = parse("range(1000000) | cache() | repeat(2)");
  double bytes = 0;
  const auto held = [] {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd + runtime().pool->used_bytes());
  };
  for (auto _ : state) {
    const double before = held();
    Drain drain(document);
    drain.run(128, kElements + 1);
    bytes = (held() - before) / kElements;
  }
  state.counters["bytes"] = bytes;
  state.counters["of_target"] = bytes / 9;
}
BENCHMARK(cache_bytes)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::bench
