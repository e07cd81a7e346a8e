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

void compare_texts(benchmark::State& state, const std::string& source, const std::string& ours,
                   const std::string& reference, double least) {
  DocumentRef first = parse(source + " | map(x -> " + ours + ")");
  DocumentRef second = parse(source + " | map(x -> " + reference + ")");
  double seconds_of_first = 1e9;
  double seconds_of_second = 1e9;
  for (auto _ : state) {
    seconds_of_first = std::min(seconds_of_first, seconds(first, detected_cpu_level()));
    seconds_of_second = std::min(seconds_of_second, seconds(second, detected_cpu_level()));
  }
  report_rate(state, 1 / seconds_of_first, 1 / seconds_of_second, least);
}

// Five functions entry by entry over one that copies, by what they read: a second pass over memory would
// show.
void chain_floats(benchmark::State& state) {
  compare_texts(state, "from_tensors(ones([784])) | repeat(20000) | batch(256)",
                "clip((x * 3.0 - 0.5) * 2.0 + 1.0, -1.0, 1.0)", "x * 3.0", 0.5);
}
BENCHMARK(chain_floats)->Unit(benchmark::kMillisecond)->Iterations(12);

// A number for each channel of an image, compared with one for all.
void normalise_channels(benchmark::State& state) {
  compare_texts(state, "from_tensors(ones([224, 224, 3])) | repeat(200) | batch(4)",
                "(x - [0.4, 0.5, 0.6]) / [0.2, 0.3, 0.4]", "(x - 0.5) / 0.3", 0.5);
}
BENCHMARK(normalise_channels)->Unit(benchmark::kMillisecond)->Iterations(12);

}  // namespace
}  // namespace weir::bench
