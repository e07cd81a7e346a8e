// flat_map(f): the elements of the dataset that f gives for the first element, then for the second, and so on.
// A failing call is one error; the next element follows. Checkpoint: the open element's number, and the position in
// its dataset.
#include "ops/inner.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::dataset};
  void fields(Fields& fields) override { fields("f", f, "Gives a dataset for an element."); }
};

class FlatMap final : public Cursor {
 public:
  FlatMap(Opening& opening, const Params& params)
      : outer_(opening, 0, Port::Mode::keep), apply_(opening, params.f), path_(opening.path) {}

  Step next(Context& ctx, const Want& want, Block& out) override {
    for (;;) {
      if (inner_) {
        Pull got = inner_->next(ctx, want, out);
        if (got != Pull::end) return got;
        inner_.reset();
        outer_.consume_all();
      }
      Step opened = open(ctx);
      if (opened.error() || opened.answer() != Pull::rows) return opened;
    }
  }

  void state(Archive& archive) override {
    outer_.state(archive);
    bool open = inner_ != nullptr;
    archive("open", open);
    if (inner_) saved_ = inner_->save();
    saved_.state(archive);
    if (archive.loading()) loaded_open_ = open;
  }

  Step resume(Context& ctx) override {
    if (!loaded_open_) return Pull::rows;
    Step opened = open(ctx);
    if (opened.error() || opened.answer() != Pull::rows) return opened;
    loaded_open_ = false;
    WEIR_TRY(inner_->load(saved_));
    return Pull::rows;
  }

 private:
  // Opens the dataset of the next row.
  Step open(Context& ctx) {
    Pull got = outer_.fill(ctx, Want{});
    if (got != Pull::rows) return got;
    if (const ErrorPtr* error = outer_.block().error_of(outer_.begin())) {
      ErrorPtr copy = *error;
      outer_.take(1);
      outer_.consume_all();
      return copy;
    }
    auto inner = Inner::open(ctx, apply_, outer_, path_);
    if (!inner.ok()) {
      outer_.consume_all();
      return inner.status();
    }
    inner_ = *std::move(inner);
    return Pull::rows;
  }

  Port outer_;
  Apply apply_;
  PathRef path_;
  std::unique_ptr<Inner> inner_;
  Inner::Saved saved_;
  bool loaded_open_ = false;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  return function_of(params.f).result().children[0];
}

}  // namespace

const OperatorDef& flat_map_operator() {
  static const OperatorDef def = define<Params, FlatMap>({
      .name = "flat_map",
      .doc = "The elements of f(first), then of f(second), and so on. Cost: opening a dataset an element of input.",
      .spec = spec_of<Params, spec>,
      .cardinality = unknown_cardinality,
  });
  return def;
}

}  // namespace weir
