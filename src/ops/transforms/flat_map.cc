// flat_map(f): the elements of the dataset that f returns for the first element, then for the second, and so
// on. A failed call is one error; the next element follows. Checkpoint: the open element's number, and the
// position in its dataset.
#include "dataset/yield_timer.h"
#include "ops/functions/inner.h"

namespace weir::flat_map_op {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::dataset};
  void fields(Fields& fields) override { fields("f", f, "Returns a dataset for each element."); }
};

class FlatMap final : public Cursor {
 public:
  FlatMap(Opening& opening, const Params& params) : outer_(opening, params.f) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    for (;;) {
      if (inner_) {
        PullResult got = inner_->next(ctx, demand, out);
        if (got == PullResult::rows) yield_timer_.reset();
        if (got != PullResult::end) return got;
        outer_.recycle(std::move(inner_));
        outer_.input().consume_all();
        if (yield_timer_.should_yield(ctx, 1)) return PullResult::pending;
      }
      Step opened = outer_.open_next(ctx, inner_);
      if (opened.error()) {
        outer_.input().consume_all();
        out.origins.add(0, outer_.origin());
      }
      if (opened.error() || opened.answer() != PullResult::rows) return opened;
    }
  }

  int64_t lose(const ErrorPtr&) noexcept override {
    // What is left of the open dataset is lost, or the row for which one was being opened.
    inner_.reset();
    outer_.input().consume_all();
    return 1;
  }

  void state(Archive& archive) override {
    outer_.input().state(archive);
    bool open = inner_ != nullptr;
    archive("open", open);
    must_reopen_ = open && archive.loading();
    saved_ = inner_ ? inner_->save(archive.holding()) : Inner::Saved{};
    saved_.state(archive);
  }

  Step resume(Context& ctx) override {
    if (!must_reopen_) return PullResult::rows;
    Step opened = outer_.open_again(ctx, inner_, saved_);
    must_reopen_ = opened.error() || opened.answer() != PullResult::rows;
    return opened;
  }

 private:
  InnerSource outer_;
  std::unique_ptr<Inner> inner_;
  YieldTimer yield_timer_;
  // The loaded position has an open dataset: resume opens it.
  bool must_reopen_ = false;
  Inner::Saved saved_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  return function_of(params.f).result().children[0];
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, FlatMap>({
      .name = "flat_map",
      .page = {.doc = "Maps each element to a dataset and concatenates these datasets.",
               .cost = "Opens one dataset per input element.",
               .tf_names = "map_func=f",
               .example = "range(3) | flat_map(x -> range(x))",
               .output = "0\n0\n1",
               .bench = "range(50000) | flat_map(x -> range(10))"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of_inners,
                 .columns = Columns::inner},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{1, 1};
                       }},
  });
  return def;
}

}  // namespace weir::flat_map_op
