#include "iterator/nested.h"

#include <algorithm>

#include "core/text.h"
#include "dataset/stage.h"
#include "exec/scheduler.h"
#include "iterator/session_owner.h"

namespace weir {

namespace {

// ", " between the texts of a nested dataset's elements.
constexpr size_t kSeparator = 2;

}  // namespace

Status drain_nested(Runtime& runtime, RefPtr<RefCounted> owner, const NestedDataset& nested,
                    RowVisitor& visitor) {
  auto scheduler = make_ref<Scheduler>(runtime);
  auto session =
      make_ref<Session>(runtime, make_ref<SessionOwner>(std::move(owner), scheduler), scheduler.get());
  DatasetRef node(static_cast<const Dataset*>(nested.node.get()));
  EpochScope epochs(nullptr, node->depth(), 0, true);
  Context context{*session, scheduler.get(), &epochs};
  auto stage = Stage::open(context, {node, nested.env, derive_key(0, 0)});
  Block block;
  Demand demand;
  demand.rows = kMaxBlockRows;
  for (int64_t rows = 0; rows < kMaxNestedRows;) {
    auto got = scheduler->drive([&]() noexcept { return stage->next(context, demand, block); });
    if (!got.ok()) return got.status();
    if (*got != PullResult::rows) return Status();
    for (int i = 0; i < block.rows; ++i) {
      if (const ErrorPtr* error = block.error_of(i)) return Status(*error);
      WEIR_TRY(visitor.row(block.row(i)));
    }
    rows += block.rows;
  }
  return resource_exhausted(expected_found(
      concat("a nested dataset of fewer than ", kMaxNestedRows, " elements to print"), "more"));
}

Status NestedDrainer::drain(const NestedDataset& dataset, const Spec& element,
                            std::vector<std::string>& out) {
  class Printer final : public RowVisitor {
   public:
    Printer(NestedDrainer& drainer, const Spec& spec, std::vector<std::string>& texts)
        : drainer_(drainer), spec_(spec), texts_(texts) {}
    Status row(const Components& values) override {
      // They all become one text.
      WEIR_ASSIGN(std::string text, format_element(spec_, values, &drainer_, left_));
      left_ -= std::min(left_, text.size() + kSeparator);
      texts_.push_back(std::move(text));
      return Status();
    }

   private:
    NestedDrainer& drainer_;
    const Spec& spec_;
    std::vector<std::string>& texts_;
    size_t left_ = kMaxElementText;
  };
  Printer printer(*this, element, out);
  return drain_nested(runtime_, owner_, dataset, printer);
}

}  // namespace weir
