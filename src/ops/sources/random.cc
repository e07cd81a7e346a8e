// random(seed, rerandomize_each_iteration): random numbers of 32 bits without end, those of tf.data for the
// same seed. Checkpoint: the seeds and how many numbers were given.
#include <cstdint>

#include "core/philox.h"
#include "dataset/operator.h"
#include "ops/shuffling/opening_seeds.h"

namespace weir::random_op {
namespace {

struct Params : ParamsOf<Params> {
  SeedParam seed;
  BoolParam rerandomize_each_iteration{false};
  void fields(Fields& f) override {
    f("seed", seed, "Fixes the numbers: n, or the pair (a, b); none draws a seed when the dataset is built.");
    f("rerandomize_each_iteration", rerandomize_each_iteration, "Draw different numbers in each epoch.");
  }
};

class Random final : public Cursor {
 public:
  Random(Opening& opening, const Params& params) {
    const bool each_anew = *params.rerandomize_each_iteration;
    const OpeningSeeds opened =
        seeds_of(opening, params.seed, each_anew, each_anew || opening.node->dynamic());
    epoch_ = opened.number;
    seeds_ = opened.seeds;
    begin();
  }

  Step next(Context&, const Demand& demand, Block& out) override {
    out.reset(demand.drop ? 0 : 1);
    if (!demand.drop) write(out.columns[0].make_scalars<int64_t>(demand.rows), demand.rows);
    out.rows = demand.rows;
    given_ += static_cast<uint64_t>(demand.rows);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    ++given_;
    return 1;
  }

  void state(Archive& archive) override {
    archive("epoch", epoch_);
    archive("seed", seeds_.first);
    archive("seed2", seeds_.second);
    archive("given", given_);
    if (archive.loading()) begin();
  }

 private:
  void begin() { generator_ = Philox(seeds_.first, seeds_.second); }

  void write(int64_t* out, int rows) const {
    uint64_t number = given_;
    for (int i = 0; i < rows;) {
      const Philox::Block block = generator_.block(number / 4);
      for (uint64_t lane = number % 4; lane < 4 && i < rows; ++lane, ++number) out[i++] = block[lane];
    }
  }

  uint64_t epoch_ = 0;
  SeedSite::Pair seeds_;
  uint64_t given_ = 0;
  Philox generator_;
};

Result<Spec> spec(const Params&, std::span<const DatasetRef>) { return Spec::tensor(DType::int64); }
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return kInfinite; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Random>({
      .name = "random",
      .kind = OperatorKind::source,
      .page =
          {.doc =
               "Random integers (int64) from 0 to 4294967295, without end. For the same seed they are tf.data's. Each epoch repeats them unless `rerandomize_each_iteration` is true.",
           .cost = "About 2 ns per number.",
           .example = "random(seed: 9) | map(x -> x % 6 + 1) | take(4)",
           .output = "4\n2\n6\n3",
           .bench = "random(seed: 1) | take(1000000)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .position = {.counts_openings =
                       [](const ParamsBase& base) {
                         return *static_cast<const Params&>(base).rerandomize_each_iteration;
                       }},
  });
  return def;
}

}  // namespace weir::random_op
