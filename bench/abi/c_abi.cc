// The same through the C ABI, one element per call; from nothing to the first element; and calls that sleep.
#include <atomic>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "opened.h"
#include "report.h"

namespace weir::bench {
namespace {

void range_c_abi(benchmark::State& state) {
  Opened it("range(9223372036854775807)");
  int64_t sum = 0;
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    for (int i = 0; i < 1000; ++i) {
      weir_view view = WEIR_VIEW_INIT;
      if (weir_iterator_next(it.iterator, it.element, nullptr) != WEIR_OK) state.SkipWithError("no element");
      weir_element_view(it.element, 0, &view, nullptr);
      sum += *static_cast<const int64_t*>(view.data);
    }
    rounds.add(watch.seconds(), 1000);
  }
  benchmark::DoNotOptimize(sum);
  rounds.report(state, 40);
}
BENCHMARK(range_c_abi);

void first_element(benchmark::State& state) {
  Rounds rounds;
  for (auto _ : state) {
    const Stopwatch watch;
    Opened it("range(10) | map(x -> x * x) | batch(4) | prefetch(2)");
    if (weir_iterator_next(it.iterator, it.element, nullptr) != WEIR_OK) state.SkipWithError("no element");
    rounds.add(watch.seconds(), 1);
  }
  rounds.report(state, 10e6);
}
BENCHMARK(first_element)->Unit(benchmark::kMillisecond)->UseRealTime();

// Calls with log-normal times, like those of a store across a network: one in a hundred takes ten times the
// median. `ideal` is the time for calls_in_flight of them that never wait for one another.
class Sleeper {
 public:
  static constexpr int kCalls = 2000;
  static constexpr int kInFlight = 8;

  Sleeper() {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> microseconds(std::log(1000.0), 1.0);
    for (int i = 0; i < kCalls; ++i) sleeps_.emplace_back(static_cast<int64_t>(microseconds(random)));
  }
  weir_callback callback() {
    weir_callback out = WEIR_CALLBACK_INIT;
    out.function = [](void* self, weir_call call) { return static_cast<Sleeper*>(self)->sleep(call); };
    out.user_data = this;
    out.flags = WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_CONCURRENT;
    out.result_spec = "int64";
    out.result_spec_size = WEIR_STRLEN;
    return out;
  }
  // Of what was slept since the last call.
  double ideal_seconds() { return static_cast<double>(slept_ns_.exchange(0)) / 1e9 / kInFlight; }

 private:
  int32_t sleep(weir_call call) {
    weir_view in = WEIR_VIEW_INIT;
    void* out = nullptr;
    if (weir_call_input(call, 0, &in, nullptr) != WEIR_OK) return -1;
    if (weir_call_output(call, 0, 0, nullptr, &out, nullptr) != WEIR_OK) return -1;
    const int64_t row = *static_cast<const int64_t*>(in.data);
    *static_cast<int64_t*>(out) = row;
    Stopwatch watch;
    std::this_thread::sleep_for(sleeps_[static_cast<size_t>(row)]);
    slept_ns_ += static_cast<int64_t>(watch.seconds() * 1e9);
    return WEIR_OK;
  }

  std::vector<std::chrono::microseconds> sleeps_;
  std::atomic<int64_t> slept_ns_{0};
};

void map_sleeps(benchmark::State& state) {
  Sleeper sleeper;
  const weir_callback callback = sleeper.callback();
  weir_argument argument = WEIR_ARGUMENT_INIT;
  argument.name = "f";
  argument.name_size = 1;
  argument.callback = &callback;
  const std::string text = "range(" + std::to_string(Sleeper::kCalls) +
                           ") | map(@f, num_parallel_calls: " + std::to_string(Sleeper::kInFlight) + ")";
  double ideal = 0;
  double ours = 0;
  for (auto _ : state) {
    Opened it(text.c_str(), &argument);
    Stopwatch watch;
    while (weir_iterator_next(it.iterator, it.element, nullptr) == WEIR_OK) {
    }
    ours += watch.seconds();
    ideal += sleeper.ideal_seconds();
  }
  const double calls = static_cast<double>(state.iterations()) * Sleeper::kCalls;
  report_rate(state, calls / ours, calls / ideal, 0.94);
}
BENCHMARK(map_sleeps)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace weir::bench
