// What the processor's wider instructions gain over the baseline that the library is compiled for.
#include <algorithm>

#include "core/cpu.h"
#include "support.h"

namespace weir::bench {
namespace {

double seconds(const DocumentRef& document, CpuLevel level) {
  limit_cpu_level(level);
  Stopwatch watch;
  Drain(document).run(8);
  return watch.seconds();
}

void compare_levels(benchmark::State& state, const std::string& text) {
  DocumentRef document = parse(text);
  double ours = 1e9;
  double reference = 1e9;
  for (auto _ : state) {
    ours = std::min(ours, seconds(document, detected_cpu_level()));
    reference = std::min(reference, seconds(document, CpuLevel::baseline));
  }
  limit_cpu_level(detected_cpu_level());
  report_rate(state, 1 / ours, 1 / reference, 1);
}

void scale_images(benchmark::State& state) {
  compare_levels(state, "from_tensors(ones([784], uint8)) | repeat(50000) | map(x -> float32(x) / 255.0)");
}
BENCHMARK(scale_images)->Unit(benchmark::kMillisecond)->Iterations(12);

void exp_floats(benchmark::State& state) {
  compare_levels(state, "from_tensors(ones([784])) | repeat(20000) | map(x -> exp(x))");
}
BENCHMARK(exp_floats)->Unit(benchmark::kMillisecond)->Iterations(12);

// Five functions entry by entry over one that copies, by what they read: a second pass over memory would
// show.
void chain_floats(benchmark::State& state) {
  const auto text = [](const std::string& value) {
    return "from_tensors(ones([784])) | repeat(20000) | batch(256) | map(x -> " + value + ")";
  };
  DocumentRef chain = parse(text("clip((x * 3.0 - 0.5) * 2.0 + 1.0, -1.0, 1.0)"));
  DocumentRef one = parse(text("x * 3.0"));
  double ours = 1e9;
  double reference = 1e9;
  for (auto _ : state) {
    ours = std::min(ours, seconds(chain, detected_cpu_level()));
    reference = std::min(reference, seconds(one, detected_cpu_level()));
  }
  report_rate(state, 1 / ours, 1 / reference, 0.5);
}
BENCHMARK(chain_floats)->Unit(benchmark::kMillisecond)->Iterations(12);

}  // namespace
}  // namespace weir::bench
