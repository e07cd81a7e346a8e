// Operators on small elements: the overhead per element.
#include "ops/functions/apply.h"
#include "ops/list.h"
#include "support.h"

namespace weir::bench {
namespace {

// `counted` is the divisor of a run if it is not its elements.
template <class Watch = CpuWatch>
void drain(benchmark::State& state, const std::string& text, int rows, double target_ns, int64_t counted = 0,
           Reference reference = arithmetic()) {
  DocumentRef document = parse(text);
  Rounds rounds;
  for (auto _ : state) {
    const Watch watch;
    const int64_t elements = Drain(document).run(rows);
    rounds.add(watch.seconds(), counted ? counted : elements);
  }
  rounds.report(state, target_ns, reference);
}

void range_inside(benchmark::State& state) { drain(state, "range(10000000)", kMaxBlockRows, 5); }
BENCHMARK(range_inside)->Unit(benchmark::kMillisecond);

void ten_maps(benchmark::State& state) {
  std::string text = "range(1000000)";
  for (int i = 0; i < 10; ++i) text += " | map(x -> x + 1)";
  drain(state, text, 128, 2, 10 * 1000000);
}
BENCHMARK(ten_maps)->Unit(benchmark::kMillisecond);

void filter_half(benchmark::State& state) {
  drain(state, "range(1000000) | filter(x -> x % 2 == 0)", 128, 15, 1000000);
}
BENCHMARK(filter_half)->Unit(benchmark::kMillisecond);

void flat_map_ten(benchmark::State& state) {
  drain(state, "range(100000) | flat_map(x -> range(10))", 128, 60);
}
BENCHMARK(flat_map_ten)->Unit(benchmark::kMillisecond);

void flat_map_opening(benchmark::State& state) {
  drain(state, "range(200000) | flat_map(x -> range(x, x))", 128, 500, 200000);
}
BENCHMARK(flat_map_opening)->Unit(benchmark::kMillisecond);

void window_batches(benchmark::State& state) {
  drain(state, "range(100000) | window(16, shift: 1) | flat_map(w -> w | batch(16))", 128, 1000, 100000);
}
BENCHMARK(window_batches)->Unit(benchmark::kMillisecond);

// Blocks of each slot, in turns.
void interleave_cycle(benchmark::State& state, const char* text, double target_ns) {
  drain(state, text, 1024, target_ns);
}
BENCHMARK_CAPTURE(interleave_cycle, 16, "range(16) | interleave(x -> range(100000), cycle_length: 16)", 15)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(interleave_cycle, 1000, "range(1000) | interleave(x -> range(1000), cycle_length: 1000)",
                  40)
    ->Unit(benchmark::kMillisecond);
void reduce_sum(benchmark::State& state) {
  drain(state, "range(1000000) | reduce(0, (s, x) -> s + x)", 128, 20, 1000000);
}
BENCHMARK(reduce_sum)->Unit(benchmark::kMillisecond);

void scan_sum(benchmark::State& state) {
  drain(state, "range(1000000) | scan(0, (s, x) -> (s + x, s))", 128, 20);
}
BENCHMARK(scan_sum)->Unit(benchmark::kMillisecond);

// A lambda of three nodes, row by row: what the evaluator adds to the arithmetic, which takes about a
// nanosecond.
void reduce_three(benchmark::State& state) {
  drain(state, "range(1000000) | reduce(0, (s, x) -> s + x * 3 - 1)", 128, 41, 1000000);
}
BENCHMARK(reduce_three)->Unit(benchmark::kMillisecond);

void scan_three(benchmark::State& state) {
  drain(state, "range(1000000) | scan(0, (s, x) -> (s + x * 3 - 1, s))", 128, 41);
}
BENCHMARK(scan_three)->Unit(benchmark::kMillisecond);

// The same of one element a call, as a map makes it that is asked for one element; without the map and its
// input.
void call_three(benchmark::State& state) {
  constexpr int kCalls = 1'000'000;
  DocumentRef document = parse("range(1000000) | map(x -> (x + 7) * 3 - x)");
  const Function& function = function_of(static_cast<const MapParams&>(document->root()->params()).f);
  Drain drain(document);
  Context context = drain.context();
  Block in;
  in.rows = 1;
  in.columns.resize(1);
  *in.columns[0].make_scalars<int64_t>(1) = 5;
  Block out;
  double best = 1e9;
  for (auto _ : state) {
    const CpuWatch watch;
    for (int i = 0; i < kCalls; ++i) function.call({.session = context.session, .base_ordinal = i}, in, out);
    best = std::min(best, watch.seconds());
  }
  report_ns(state, best * 1e9 / kCalls, 41);
}
BENCHMARK(call_three)->Unit(benchmark::kMillisecond)->Iterations(15);

// Filled and drained once, so that each element is written and read once; both wait for memory.
void shuffle_million(benchmark::State& state) {
  drain(state, "range(1000000) | shuffle(1000000, seed: 1)", 128, 40, 0, pointer_chase());
}
BENCHMARK(shuffle_million)->Unit(benchmark::kMillisecond);

void prefetch_handoff(benchmark::State& state) {
  drain<Stopwatch>(state, "range(2000000) | prefetch(1024)", 64, 120, 0, atomic_exchange());
}
BENCHMARK(prefetch_handoff)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace weir::bench
