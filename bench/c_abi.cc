// The same through the C ABI, one element a call; and from nothing to the first element.
#include <cstdio>
#include <cstdlib>

#include "support.h"

namespace weir::bench {
namespace {

void must(int32_t result, const weir_error& error) {
  if (result >= 0) return;
  std::fprintf(stderr, "weir_bench: %.*s\n", static_cast<int>(error.line.size), error.line.data);
  std::exit(1);
}

struct Opened {
  explicit Opened(const char* text) {
    must(weir_runtime_create(nullptr, &runtime, &error), error);
    must(weir_dataset_parse(runtime, text, WEIR_STRLEN, nullptr, 0, &dataset, &error), error);
    must(weir_iterator_create(runtime, dataset, nullptr, &iterator, &error), error);
    must(weir_element_create(&element, &error), error);
  }
  ~Opened() {
    weir_element_destroy(element);
    weir_iterator_destroy(iterator);
    weir_dataset_unref(dataset);
    weir_runtime_destroy(runtime);
  }
  weir_error error = WEIR_ERROR_INIT;
  weir_runtime runtime{};
  weir_dataset dataset{};
  weir_iterator iterator{};
  weir_element element{};
};

void range_c_abi(benchmark::State& state) {
  Opened it("range(9223372036854775807)");
  int64_t sum = 0;
  int64_t elements = 0;
  Stopwatch watch;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) {
      weir_view view = WEIR_VIEW_INIT;
      if (weir_iterator_next(it.iterator, it.element, nullptr) != WEIR_OK) state.SkipWithError("no element");
      weir_element_view(it.element, 0, &view, nullptr);
      sum += *static_cast<const int64_t*>(view.data);
    }
    elements += 1000;
  }
  benchmark::DoNotOptimize(sum);
  report_ns(state, elements, watch, 40);
}
BENCHMARK(range_c_abi);

void first_element(benchmark::State& state) {
  Stopwatch watch;
  for (auto _ : state) {
    Opened it("range(10) | map(x -> x * x) | batch(4) | prefetch(2)");
    if (weir_iterator_next(it.iterator, it.element, nullptr) != WEIR_OK) state.SkipWithError("no element");
  }
  report_ns(state, static_cast<int64_t>(state.iterations()), watch, 10e6);
}
BENCHMARK(first_element)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace weir::bench
