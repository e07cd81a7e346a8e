// Interleaves whose datasets sleep, beside what the sleeps alone take.
#include <thread>

#include "opened.h"
#include "report.h"

namespace weir::bench {
namespace {

constexpr int64_t kSleeps = 50;
constexpr auto kSleep = std::chrono::milliseconds(5);

int32_t sleeps(void*, weir_call call) {
  void* out = nullptr;
  if (weir_call_output(call, 0, 0, nullptr, &out, nullptr) != WEIR_OK) return -1;
  std::this_thread::sleep_for(kSleep);
  *static_cast<int64_t*>(out) = 0;
  return WEIR_OK;
}

// Eight datasets of 50 sleeps with 8 calls: as long as one thread takes for 50.
void parallel_interleave(benchmark::State& state) {
  weir_callback callback = WEIR_CALLBACK_INIT;
  callback.function = sleeps;
  callback.flags = WEIR_CALLBACK_CONCURRENT | WEIR_CALLBACK_BLOCKING | WEIR_CALLBACK_PURE;
  callback.result_spec = "int64";
  callback.result_spec_size = WEIR_STRLEN;
  const weir_argument argument = WEIR_ARGUMENT_CALLBACK("f", &callback);
  double ours = 0;
  double ideal = 0;
  for (auto _ : state) {
    const Stopwatch asleep;
    for (int64_t i = 0; i < kSleeps; ++i) std::this_thread::sleep_for(kSleep);
    ideal = std::max(ideal, 1 / asleep.seconds());
    Opened it("range(8) | interleave(x -> range(50) | map(@f), cycle_length: 8, num_parallel_calls: 8)",
              &argument);
    const Stopwatch watch;
    int64_t elements = 0;
    int32_t got = WEIR_OK;
    while ((got = weir_iterator_next(it.iterator, it.element, &it.error)) == WEIR_OK) ++elements;
    must(got, it.error);
    if (elements != 8 * kSleeps) state.SkipWithError("elements were lost");
    ours = std::max(ours, 1 / watch.seconds());
  }
  report_rate(state, ours, ideal, 0.95);
}
BENCHMARK(parallel_interleave)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

}  // namespace
}  // namespace weir::bench
