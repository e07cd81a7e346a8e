// take(n): the first `n` elements, errors uncounted. Checkpoint: how many are left, and the input's position.
#include <algorithm>

#include "dataset/counted.h"
#include "dataset/operator.h"

namespace weir::take_op {
namespace {

struct Params : ParamsOf<Params> {
  IntParam n;
  void fields(Fields& f) override { f("n", n, "The number of elements to take; negative takes all."); }
};

Slice slice(const Params& params) { return {.count = *params.n < 0 ? Slice::kAll : *params.n}; }

class Take final : public RestartableCursor {
 public:
  Take(Opening& opening, const Params& params)
      : left_(slice(params).count), input_(opening, 0, Port::Mode::pass, Port::opens_if(left_ > 0)) {}
  bool restart(Opening& opening, const ParamsBase& params) override {
    left_ = slice(static_cast<const Params&>(params)).count;
    input_.restart(opening, 0, Port::Mode::pass, Port::opens_if(left_ > 0));
    return true;
  }
  int64_t assured() const noexcept override { return std::min(left_, input_.assured()); }
  Step next(Context& ctx, const Demand& demand, Block& out) override {
    const PullResult got = left_ > 0 ? input_.pull(ctx, demand.at_most(left_), out) : PullResult::end;
    if (got == PullResult::rows) left_ -= counted_rows(out);
    return got;
  }
  void state(Archive& archive) override {
    archive("left", left_, 0, Slice::kAll);
    input_.state(archive);
  }

 private:
  int64_t left_;
  Port input_;
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Take>({
      .name = "take",
      .page = {.doc = "Takes the first `n` elements. Errors among them are passed on and not counted.",
               .cost = "One comparison per block.",
               .tf_names = "count=n",
               .example = "range(5) | take(2)",
               .output = "0\n1",
               .bench = "range(2000000) | take(1000000)",
               .elsewhere = "head limit top: take(n)\nfirst: take(1)"},
      .typing = {.slice = slice_of<Params, slice>},
      .position = {.passes_positions = true},
  });
  return def;
}

}  // namespace weir::take_op
