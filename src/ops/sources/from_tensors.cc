// from_tensors(value): one element, the whole value. Checkpoint: whether it was given.
#include "ops/list.h"

namespace weir {

void FromTensorsParams::fields(Fields& f) {
  f("value", value, "The element: a tensor or a tuple or dict of tensors.");
}

namespace {

using Params = FromTensorsParams;

class FromTensors final : public Cursor {
 public:
  FromTensors(Opening& opening, const Params& params) : components_(params.value.values) {
    // The value of an expression belongs to this cursor and goes with it.
    for (const Tensor& tensor : components_) {
      if (!opening.node->dynamic()) tensor.set_lasting();
    }
  }

  Step next(Context&, const Demand&, Block& out) override {
    if (done_) return PullResult::end;
    done_ = true;
    out.reset(components_.size());
    out.set_row(components_);
    return PullResult::rows;
  }

  void state(Archive& archive) override { archive("given", done_); }

 private:
  Components components_;
  bool done_ = false;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) { return params.value.spec; }
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return 1; }

}  // namespace

const OperatorDef& from_tensors_operator() {
  static const OperatorDef def = define<Params, FromTensors>({
      .name = "from_tensors",
      .kind = OperatorKind::source,
      .doc = "A dataset of one element, the value itself.",
      .cost = "No copy.",
      .example = "from_tensors({x: [1, 2], label: 7})",
      .output = "{x: [1, 2], label: 7}",
      .bench = "from_tensors(1) | repeat(200000)",
      .spec = spec_of<Params, spec>,
      .cardinality = cardinality_of<Params, cardinality>,
  });
  return def;
}

}  // namespace weir
