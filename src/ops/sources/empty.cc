// empty(spec): no elements, of the given structure. Checkpoint: nothing.
#include "dataset/access.h"
#include "dataset/operator.h"

namespace weir::empty_op {
namespace {

struct Params : ParamsOf<Params> {
  SpecParam spec;
  void fields(Fields& f) override { f("spec", spec, "The structure of the elements."); }
};

class Empty final : public Cursor {
 public:
  Empty(Opening&, const Params&) {}
  Step next(Context&, const Demand&, Block&) override { return PullResult::end; }
  void state(Archive&) override {}
};

class NoElements final : public Access {
 public:
  AccessCount count() const override { return {0, false}; }
  void read(Context&, std::span<const int64_t>, Block& out) override { out.reset(0); }
};

Result<std::unique_ptr<Access>> access(Opening&, const ParamsBase&) {
  return std::unique_ptr<Access>(std::make_unique<NoElements>());
}

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) { return params.spec.spec; }
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return 0; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Empty>({
      .name = "empty",
      .kind = OperatorKind::source,
      .page = {.doc = "A dataset without elements, of the given structure.",
               .cost = "Nothing.",
               .example = "empty(int64) | concatenate(range(2))",
               .output = "0\n1",
               .bench = "empty(int64)"},
      .typing = {.spec = spec_of<Params, spec>, .cardinality = cardinality_of<Params, cardinality>},
      .access = {.open = access},
  });
  return def;
}

}  // namespace weir::empty_op
