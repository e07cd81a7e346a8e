// What origins cost: records of 1 KB through map, shuffle and batch, with a source that says where they come
// from and with one that doesn't.
#include <algorithm>

#include "support.h"

namespace weir::bench {
namespace {

constexpr int64_t kBatches = 1200;

double seconds(const DocumentRef& document, bool with_origins) {
  runtime().origins = with_origins;
  Stopwatch watch;
  Drain(document).run(1, kBatches);
  const double taken = watch.seconds();
  runtime().origins = true;
  return taken;
}

void origins(benchmark::State& state) {
  DocumentRef document = parse("tfrecord(\"" + record_file(1024) +
                               "\") | map(r -> decode_raw(r, uint8)) | shuffle(1000, seed: 1) | batch(64)");
  double ours = 1e9;
  double reference = 1e9;
  for (auto _ : state) {
    ours = std::min(ours, seconds(document, true));
    reference = std::min(reference, seconds(document, false));
  }
  report_rate(state, 1 / ours, 1 / reference, 0.98);
}
BENCHMARK(origins)->Unit(benchmark::kMillisecond)->Iterations(40);

}  // namespace
}  // namespace weir::bench
