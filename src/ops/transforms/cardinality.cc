// cardinality(): how many elements the input has, as far as that is known without reading it: -1 infinitely
// many, -2 unknown. In a lambda the variables count with their values. The input is not opened. Checkpoint:
// whether it was given.
#include "dataset/cardinality.h"

#include "dataset/operator.h"

namespace weir::cardinality_op {
namespace {

struct Params : ParamsOf<Params> {
  void fields(Fields&) override {}
};

class Cardinality final : public Cursor {
 public:
  Cardinality(Opening& opening, const Params&) : input_(opening.input(0)) {}

  Step next(Context& ctx, const Demand&, Block& out) override {
    if (done_) return PullResult::end;
    done_ = true;
    WEIR_ASSIGN(const int64_t count, cardinality_at(ctx.session, input_));
    out.reset(1);
    *out.columns[0].make_scalars<int64_t>(1) = count;
    out.rows = 1;
    return PullResult::rows;
  }

  void state(Archive& archive) override { archive("done", done_); }

 private:
  const Instance input_;
  bool done_ = false;
};

Result<Spec> spec(const Params&, std::span<const DatasetRef>) { return Spec::tensor(DType::int64); }
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return 1; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Cardinality>({
      .name = "cardinality",
      .kind = OperatorKind::terminal,
      .page =
          {.doc =
               "The number of elements of the input, an int64: -1 if it is infinite, -2 if it is not known without reading. In a lambda, it is computed with the values of the variables.",
           .cost = "Reads nothing.",
           .example = "range(100) | batch(7) | cardinality()",
           .output = "15",
           .bench = "range(20000) | map(x -> range(x) | batch(7) | cardinality())"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
  });
  return def;
}

}  // namespace weir::cardinality_op
