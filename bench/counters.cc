// What counting costs: pipelines that are counted and sampled, as those of an iterator are, over the same
// without.
#include <memory>

#include "core/stage_stats.h"
#include "exec/scheduler.h"
#include "support.h"

namespace weir::bench {
namespace {

// A root Stage that is pulled as an iterator pulls it.
class Pulled {
 public:
  Pulled(const DocumentRef& document, bool counts) : session_(make_session(runtime())) {
    if (counts) session_->keep_stats(make_ref<StatsTree>(runtime().clock->now_ns(), 0));
    Context ctx{*session_, session_->scheduler, &epochs_};
    stage_ = Stage::open(ctx, {document->root(), nullptr, 0});
  }

  // Without samples where nothing is counted.
  void run(int rows, int64_t pulls) {
    const bool counts = session_->stats() != nullptr;
    Demand demand;
    demand.rows = rows;
    for (int64_t i = 0; i < pulls; ++i) {
      Context ctx{*session_, session_->scheduler, &epochs_};
      const auto pull = [&] { return stage_->next(ctx, demand, block_); };
      benchmark::DoNotOptimize(counts ? pull_sampled(ctx, sampler_, nullptr, pull) : pull());
    }
  }

 private:
  RefPtr<Session> session_;
  EpochScope epochs_;
  std::unique_ptr<Stage> stage_;
  Sampler sampler_;
  Block block_;
};

void counters(benchmark::State& state, const char* text, int rows, int64_t pulls) {
  const DocumentRef document = parse(text);
  Pulled counted(document, true);
  Pulled plain(document, false);
  alternate(
      state, [&] { counted.run(rows, pulls); }, [&] { plain.run(rows, pulls); }, 0.99);
}
BENCHMARK_CAPTURE(counters, range, "range(1000000000000)", 1, 2'000'000)->Iterations(41);
BENCHMARK_CAPTURE(counters, maps, "range(1000000000000) | map(x -> x + 1) | map(x -> x + 1) | batch(128)", 1,
                  20'000)
    ->Iterations(41);
BENCHMARK_CAPTURE(counters, flat_map, "range(1000000000000) | flat_map(x -> range(10)) | batch(128)", 1,
                  5'000)
    ->Iterations(41);

}  // namespace
}  // namespace weir::bench
