// Operators on small elements: what the house costs an element.
#include "support.h"

namespace weir::bench {
namespace {

void drain(benchmark::State& state, const std::string& text, int rows, double target_ns,
           int64_t per_element = 1) {
  DocumentRef document = parse(text);
  int64_t elements = 0;
  Stopwatch watch;
  for (auto _ : state) {
    Drain pipeline(document);
    elements += pipeline.run(rows);
  }
  report_ns(state, elements * per_element, watch, target_ns);
}

void range_inside(benchmark::State& state) { drain(state, "range(10000000)", kMaxBlockRows, 5); }
BENCHMARK(range_inside)->Unit(benchmark::kMillisecond);

void ten_maps(benchmark::State& state) {
  std::string text = "range(1000000)";
  for (int i = 0; i < 10; ++i) text += " | map(x -> x + 1)";
  drain(state, text, 128, 2, 10);
}
BENCHMARK(ten_maps)->Unit(benchmark::kMillisecond);

void filter_half(benchmark::State& state) {
  DocumentRef document = parse("range(1000000) | filter(x -> x % 2 == 0)");
  int64_t inputs = 0;
  Stopwatch watch;
  for (auto _ : state) {
    Drain pipeline(document);
    pipeline.run(128);
    inputs += 1000000;
  }
  report_ns(state, inputs, watch, 15);
}
BENCHMARK(filter_half)->Unit(benchmark::kMillisecond);

void flat_map_ten(benchmark::State& state) {
  drain(state, "range(100000) | flat_map(x -> range(10))", 128, 60);
}
BENCHMARK(flat_map_ten)->Unit(benchmark::kMillisecond);

void flat_map_opening(benchmark::State& state) {
  DocumentRef document = parse("range(200000) | flat_map(x -> range(x, x))");
  int64_t opened = 0;
  Stopwatch watch;
  for (auto _ : state) {
    Drain pipeline(document);
    pipeline.run(128);
    opened += 200000;
  }
  report_ns(state, opened, watch, 500);
}
BENCHMARK(flat_map_opening)->Unit(benchmark::kMillisecond);

void shuffle_million(benchmark::State& state) {
  DocumentRef document = parse("range(4000000) | shuffle(1000000, seed: 1)");
  int64_t elements = 0;
  Stopwatch watch;
  for (auto _ : state) {
    Drain pipeline(document);
    elements += pipeline.run(128);
  }
  report_ns(state, elements, watch, 40);
}
BENCHMARK(shuffle_million)->Unit(benchmark::kMillisecond);

void prefetch_handoff(benchmark::State& state) { drain(state, "range(2000000) | prefetch(1024)", 64, 120); }
BENCHMARK(prefetch_handoff)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace weir::bench
