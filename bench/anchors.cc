// What anchors cost: the same pipeline through a Port that records them and through one that does not.
#include <vector>

#include "dataset/operator.h"
#include "ops/list.h"
#include "support.h"

namespace weir::bench {
namespace {

struct Params : ParamsOf<Params> {
  BoolParam anchors{true};
  void fields(Fields& f) override { f("anchors", anchors, "Whether the Port writes anchors."); }
};

// relay(anchors): the input as it is, through a Port of either mode.
class Relay final : public Cursor {
 public:
  Relay(Opening& opening, const Params& params)
      : input_(opening, 0, *params.anchors ? Port::Mode::keep : Port::Mode::whole) {}
  Step next(Context& ctx, const Demand& demand, Block& out) override {
    PullResult got = input_.pull(ctx, demand, out);
    if (got == PullResult::rows) input_.consume_all();
    return got;
  }
  void state(Archive& archive) override { input_.state(archive); }

 private:
  Port input_;
};

const OperatorDef& relay_operator() {
  static const OperatorDef def = define<Params, Relay>({
      .name = "relay",
      .page = {.doc = "The input as it is."},
      .typing = {.spec = same_spec, .cardinality = same_cardinality},
  });
  return def;
}

double seconds(const DocumentRef& document, int rows) {
  CpuWatch watch;
  Drain(document).run(rows);
  return watch.seconds();
}

// `range(0)` is the rows of a demand: 1 and 128.
void anchors(benchmark::State& state) {
  static const bool added = (add_operator(relay_operator()), true);
  benchmark::DoNotOptimize(added);
  const std::string input =
      "range(100000) | map(x -> x + 1) | repeat(2) | shuffle(100, seed: 1) | map(x -> x * 3)";
  DocumentRef with = parse(input + " | relay(anchors: true)");
  DocumentRef without = parse(input + " | relay(anchors: false)");
  int rows = static_cast<int>(state.range(0));
  std::vector<double> ratios;
  for (auto _ : state) {
    double reference = seconds(without, rows);
    const double ours = seconds(with, rows) + seconds(with, rows);
    reference += seconds(without, rows);
    ratios.push_back(reference / ours);
  }
  report_ratios(state, std::move(ratios), 0.99);
}
BENCHMARK(anchors)->Arg(1)->Arg(128)->Unit(benchmark::kMillisecond)->Iterations(40);

}  // namespace
}  // namespace weir::bench
