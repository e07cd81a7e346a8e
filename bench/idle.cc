// What pipelines hold that rest: 64 of map, batch and prefetch, each pulled from and then left alone, and one
// whose buffer for shuffling is full.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "support.h"

namespace weir::bench {
namespace {

constexpr int kPipelines = 64;
constexpr int kPulls = 100;
constexpr double kMostBytes = 8e6;

double held_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// What is held once it no longer changes, since the windows fill on other threads.
double settled_bytes() {
  double bytes = held_bytes();
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const double now = held_bytes();
    if (now == bytes) return now;
    bytes = now;
  }
}

void idle_pipelines(benchmark::State& state) {
  DocumentRef document =
      parse("range(1000000000) | map(x -> x + 1, num_parallel_calls: auto) | batch(32) | prefetch(auto)");
  double bytes = 0;
  for (auto _ : state) {
    const double before = settled_bytes();
    std::vector<std::unique_ptr<Drain>> pipelines;
    for (int i = 0; i < kPipelines; ++i) {
      pipelines.push_back(std::make_unique<Drain>(document));
      pipelines.back()->run(1, kPulls);
    }
    bytes = std::max(bytes, settled_bytes() - before);
  }
  state.counters["MB"] = bytes / 1e6;
  state.counters["at_most"] = kMostBytes / 1e6;
  state.counters["of_target"] = bytes / kMostBytes;
}
BENCHMARK(idle_pipelines)->Unit(benchmark::kMillisecond)->Iterations(5);

// Memory at the first element over the bytes of the records in the buffer, reading included.
void shuffle_memory(benchmark::State& state, int64_t rows, double at_most) {
  DocumentRef document =
      parse("tfrecord(\"" + record_file(1024) + "\") | shuffle(" + std::to_string(rows) + ", seed: 1)");
  double held = 0;
  for (auto _ : state) {
    const double before = settled_bytes();
    Drain drain(document);
    drain.next(1);
    held = std::max(held, (settled_bytes() - before) / (static_cast<double>(rows) * 1024));
  }
  state.counters["of_payload"] = held;
  state.counters["at_most"] = at_most;
  state.counters["of_target"] = held / at_most;
}
BENCHMARK_CAPTURE(shuffle_memory, 100000, 100'000, 1.10)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK_CAPTURE(shuffle_memory, 50000, 50'000, 1.15)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace weir::bench
