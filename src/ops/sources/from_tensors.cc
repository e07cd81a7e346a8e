// from_tensors(value): one element, the whole value. Checkpoint: whether it was given.
#include "dataset/access.h"
#include "ops/list.h"

namespace weir {
void FromTensorsParams::fields(Fields& f) {
  f("value", value, "The element: a tensor or a tuple or dict of tensors.");
}
namespace from_tensors_op {
namespace {

using Params = FromTensorsParams;

class FromTensors final : public RestartableCursor {
 public:
  FromTensors(Opening& opening, const Params& params) : components_(params.value.values) {
    // The value of an expression belongs to this cursor and goes with it.
    for (const Tensor& tensor : components_) {
      if (!opening.node->dynamic()) tensor.set_lasting();
    }
  }

  bool restart(Opening& opening, const ParamsBase& params) override {
    *this = FromTensors(opening, static_cast<const Params&>(params));
    return true;
  }

  int64_t assured() const noexcept override { return done_ ? 0 : 1; }

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

class ValueAccess final : public Access {
 public:
  explicit ValueAccess(const Components& components) { row_.set_row(components); }
  AccessCount count() const override { return {1, false}; }
  void read(Context&, std::span<const int64_t> positions, Block& out) override {
    out.reset(row_.columns.size());
    out.rows = 0;
    for (size_t i = 0; i < positions.size(); ++i) out.append(row_, 0, 1);
  }

 private:
  Block row_;
};

Result<std::unique_ptr<Access>> access(Opening&, const ParamsBase& params) {
  return std::unique_ptr<Access>(
      std::make_unique<ValueAccess>(static_cast<const Params&>(params).value.values));
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) { return params.value.spec; }
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return 1; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, FromTensors>({
      .name = "from_tensors",
      .kind = OperatorKind::source,
      .page = {.doc = "A dataset with one element: the given value.",
               .cost = "No copy.",
               .tf_names = "tensors=value",
               .example = "from_tensors({x: [1, 2], label: 7})",
               .output = "{x: [1, 2], label: 7}",
               .bench = "from_tensors(1) | repeat(200000)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .access = {.open = access},
  });
  return def;
}

}  // namespace from_tensors_op
}  // namespace weir
