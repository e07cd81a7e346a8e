// scan(state, f): what f of the state and each element gives beside the next state. An element that fails, or
// whose call does, is an error in its place and keeps the state. Checkpoint: the input's position and the
// state.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "ops/functions/row_width.h"
#include "ops/functions/state_fold.h"
#include "ops/list.h"

namespace weir {
void ScanParams::fields(Fields& fields) {
  fields("state", state, "The first state.");
  fields("f", f, "(state, element) -> (state, result), the state of the same structure and dtypes.");
}
namespace scan_op {
namespace {

using Params = ScanParams;

class Scan final : public Cursor {
 public:
  Scan(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass),
        fold_(opening, params.state, params.f),
        width_(fold_.function()) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    in_.rows = 0;
    Demand wanted = width_.narrowed(demand, fold_.function());
    // The state needs the elements whose results nobody wants.
    wanted.drop = false;
    PullResult got = input_.pull(ctx, wanted, in_);
    if (got != PullResult::rows) return got;
    errors_.clear();
    fold_.run(ctx.session, input_.position() - in_.rows, in_, 0, in_.rows, false, errors_,
              demand.drop ? nullptr : &out);
    if (!demand.drop) width_.learn(out);
    if (demand.drop) out.reset(0);
    out.rows = in_.rows;
    std::swap(out.errors, errors_);
    out.origins.swap(in_.origins);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override { return std::max(in_.rows, 1); }

  void state(Archive& archive) override {
    fold_.save(archive);
    input_.state(archive);
  }

 private:
  Port input_;
  StateFold fold_;
  RowWidth width_;
  Block in_;
  RowErrors errors_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  return function_of(params.f).result().children[1];
}

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Scan>({
      .name = "scan",
      .page =
          {.doc =
               "Applies `f` to a running state and each element; `f` returns the next state and the output. An error leaves the state as it was.",
           .cost =
               "One call of `f` per element; about 10 ns and its kernels if states are numbers of one shape.",
           .tf_names = "initial_state=state scan_func=f",
           .example = "range(1, 6) | scan(0, (sum, x) -> (sum + x, sum + x))",
           .output = "1\n3\n6\n10\n15",
           .bench = "range(1000000) | scan(0, (s, x) -> (s + x, s))",
           .elsewhere =
               "accumulate: scan(initial, (s, x) -> (s, …))\ncumsum: scan(0, (s, x) -> (s + x, s + x))"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = same_cardinality,
                 .needs = needs_of_fold<Params>},
      .position = {.keeps_rows = true, .passes_positions = true},
  });
  return def;
}

}  // namespace scan_op
}  // namespace weir
