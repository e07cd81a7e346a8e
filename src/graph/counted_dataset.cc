#include "graph/counted_dataset.h"

#include <memory>
#include <utility>

#include "dataset/operator.h"

namespace weir {

namespace {

struct Params : ParamsOf<Params> {
  int64_t count = kUnknown;
  void fields(Fields&) override {}
};

class CountedCursor final : public Cursor {
 public:
  CountedCursor(Opening& opening, const Params&) : input_(opening, 0, Port::Mode::pass) {}
  Step next(Context& ctx, const Demand& demand, Block& out) override { return input_.pull(ctx, demand, out); }
  void state(Archive& archive) override { input_.state(archive); }

 private:
  Port input_;
};

int64_t cardinality(const Params& params, std::span<const DatasetRef>) { return params.count; }

const OperatorDef& counted_operator() {
  static const OperatorDef def = define<Params, CountedCursor>({
      .name = "counted",
      .internal = true,
      .page = {.doc = "A dataset whose cardinality is known."},
      .typing = {.cardinality = cardinality_of<Params, cardinality>},
      .position = {.passes_positions = true},
  });
  return def;
}

}  // namespace

Result<DatasetRef> counted_dataset(DatasetRef input, int64_t count) {
  auto params = std::make_unique<Params>();
  params->count = count;
  return Dataset::build(counted_operator(), std::move(params), {std::move(input)});
}

}  // namespace weir
