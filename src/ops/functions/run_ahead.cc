#include "ops/functions/run_ahead.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "dataset/ahead_cursor.h"
#include "dataset/compose.h"

namespace weir {

namespace {

struct AheadSlotParams : ParamsOf<AheadSlotParams> {
  AheadSlots slots;
  void fields(Fields&) override {}
};

struct MakeCredited {
  AheadSlots slots;
  int64_t most_bytes() const { return slots.window.max_bytes; }
  std::unique_ptr<Window> operator()(Context& ctx, std::unique_ptr<Feed> feed, EpochTableRef epochs) const {
    auto credited = std::make_unique<CreditedFeed>(std::move(feed), slots.credit);
    return std::make_unique<Window>(ctx.session, std::move(credited), slots.window, std::move(epochs));
  }
};

struct AheadSlot {
  static Result<std::unique_ptr<Cursor>> open(Opening& opening, const AheadSlotParams& params) {
    const DatasetRef& input = opening.node->inputs()[0];
    if (!params.slots.credit) return std::unique_ptr<Cursor>(std::make_unique<PassCursor>(opening, input));
    MakeCredited make{params.slots};
    if (input->deepest_lane() == Lane::blocking)
      make.slots.credit->expect_waiting(*opening.ctx.session.scheduler);
    make.slots.window.lane = make.slots.credit->lane_for(input->lane());
    using Ahead = AheadCursor<MakeCredited>;
    return std::unique_ptr<Cursor>(std::make_unique<Ahead>(opening, input, std::move(make)));
  }
};

const OperatorDef& ahead_operator() {
  static const OperatorDef def = define<AheadSlotParams, AheadSlot>({
      .name = "ahead",
      .internal = true,
      .page = {.doc = "A dataset that runs ahead for another operator."},
      .typing = {.cardinality = same_cardinality},
      .ahead = {.is_window = [](const ParamsBase&) { return true; }},
  });
  return def;
}

}  // namespace

AheadSlots ahead_slots(const Context& ctx, RefPtr<Credit> credit, const RunsAhead& most, int64_t first_rows) {
  AheadSlots slots{std::move(credit), {}};
  slots.window.max_rows = most.rows;
  slots.window.first_rows = first_rows;
  slots.window.rows_inline = std::make_shared<std::atomic<int>>(1);
  slots.window.max_bytes = std::min(most.bytes, ctx.ahead_bytes);
  return slots;
}

Result<DatasetRef> run_ahead(DatasetRef dataset, const AheadSlots& slots) {
  auto params = std::make_unique<AheadSlotParams>();
  params->slots = slots;
  const BuildSite site{.depth = dataset->depth()};
  return Dataset::build(ahead_operator(), std::move(params), {std::move(dataset)}, site);
}

}  // namespace weir
