#include "dataset/dataset.h"

#include <catch2/catch_test_macros.hpp>

#include "ops/list.h"
#include "support/no_params.h"
#include "support/test_runtime.h"

namespace weir {

namespace test {
namespace {

// A source with its own lane that is not replayable.
class Nothing final : public Cursor {
 public:
  Nothing(Opening&, const NoParams&) {}
  Step next(Context&, const Demand&, Block&) override { return PullResult::end; }
  void state(Archive&) override {}
};

DatasetRef nothing() {
  static const OperatorDef def = define<NoParams, Nothing>({
      .name = "nothing",
      .kind = OperatorKind::source,
      .typing = {.spec = [](const ParamsBase&,
                            std::span<const DatasetRef>) { return Result<Spec>(Spec::tensor(DType::int64)); },
                 .cardinality = [](const ParamsBase&, std::span<const DatasetRef>) { return int64_t{4}; }},
      .position = {.not_replayable = [](const ParamsBase&) { return "gives what it likes"; }},
      .ahead = {.lane = Lane::blocking},
  });
  return Build(def).node();
}

DatasetRef prefetch(DatasetRef input, IntParam n) {
  return Build(prefetch_op::definition()).set<IntParam>("n", n).over(std::move(input)).node();
}
DatasetRef take(DatasetRef input, IntParam n = 3) {
  return Build(take_op::definition()).set<IntParam>("n", n).over(std::move(input)).node();
}
// A number that is computed when a cursor opens, with a random call, on a lane.
IntParam unknown(Lane lane) {
  class Traits final : public FunctionTraits {
   public:
    explicit Traits(Lane lane) : lane_(lane) {}
    Lane lane() const override { return lane_; }
    std::string not_replayable() const override { return ""; }
    void add_sites(Sites& out) const override { out.seeds.push_back(site_); }
    void epoch_nodes(std::vector<EpochNode>&) const override {}

   private:
    const Lane lane_;
    const RefPtr<const SeedSite> site_ = make_ref<SeedSite>(SeedSite::Pair{3, 4});
  };
  class Unknown final : public ParamExpression {
   public:
    explicit Unknown(Lane lane) : traits_(make_ref<Traits>(lane)) {}
    Result<Components> evaluate(Session&, const Env*, uint64_t) const override { return Components{}; }
    const FunctionTraits& traits() const override { return *traits_; }

   private:
    const RefPtr<Traits> traits_;
  };
  IntParam out;
  out.state = IntParam::State::expression;
  out.expression = make_ref<Unknown>(lane);
  return out;
}
DatasetRef shuffle(DatasetRef input) {
  SeedParam seed;
  seed.site = make_ref<SeedSite>(SeedSite::Pair{1, 2});
  return Build(shuffle_op::definition())
      .set<IntParam>("buffer_size", 5)
      .set<SeedParam>("seed", seed)
      .over(std::move(input))
      .node();
}

TEST_CASE("a lane is inherited up to the next window") {
  CHECK(nothing()->lane() == Lane::blocking);
  CHECK(take(nothing())->lane() == Lane::blocking);
  CHECK(prefetch(nothing(), 2)->lane() == Lane::compute);
  CHECK(prefetch(nothing(), IntParam::automatic())->lane() == Lane::compute);
  CHECK(take(prefetch(nothing(), 1))->lane() == Lane::compute);
}

TEST_CASE("a prefetch of nothing is no window, and one of an unknown count may be none") {
  CHECK(prefetch(nothing(), 0)->lane() == Lane::blocking);
  DatasetRef node = prefetch(nothing(), unknown(Lane::compute));
  CHECK(node->lane() == Lane::blocking);
  CHECK(node->dynamic());
  CHECK(node->cardinality() == kUnknown);
}

TEST_CASE("what a parameter's expression needs is inherited, through windows too") {
  DatasetRef node = take(prefetch(nothing(), 2), unknown(Lane::caller));
  CHECK(node->lane() == Lane::caller);
  CHECK(node->sites().seeds.size() == 1);
  CHECK(node->not_replayable() == "nothing gives what it likes");
  CHECK(take(shuffle(nothing()), unknown(Lane::compute))->sites().seeds.size() == 2);
}

TEST_CASE("why a dataset is not replayable is known above it, by the operator's name") {
  CHECK(take(prefetch(nothing(), 2))->not_replayable() == "nothing gives what it likes");
}

TEST_CASE("nodes whose openings are counted, and seeds, are listed once, from below") {
  DatasetRef low = shuffle(nothing());
  DatasetRef high = shuffle(take(low));
  CHECK(high->epoch_nodes() == std::vector<EpochNode>{{low->id()}, {high->id()}});
  CHECK(!high->epoch_nodes()[0].shared);
  CHECK(high->sites().seeds.size() == 2);
  InputParam other;
  other.index = 1;
  DatasetRef both =
      Build(concatenate_op::definition()).set<InputParam>("other", other).over(low).over(high).node();
  CHECK(both->epoch_nodes() == std::vector<EpochNode>{{low->id()}, {high->id()}});
  // Opened by way of `high` as well.
  CHECK(both->epoch_nodes()[0].shared);
  CHECK(!both->epoch_nodes()[1].shared);
  CHECK(both->sites().seeds.size() == 2);
}

TEST_CASE("a constant out of its range is an error of building that names operator and parameter") {
  auto built = Build(batch_op::definition()).set<IntParam>("n", 0).over(nothing()).result();
  REQUIRE(built.status().code() == Code::invalid_argument);
  CHECK(built.status().error().lead_and_message() == "batch: n: expected at least 1, found 0");
}

}  // namespace
}  // namespace test
}  // namespace weir
