// reduce(initial, f): the last state of f(f(initial, first), second) …, as one element; initial if the input is
// empty. An error of the input or of f is the result. Checkpoint: nothing; a restored reduction begins again.
#include <cstdint>
#include <utility>

#include "dataset/yield_timer.h"
#include "ops/apply.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  ValueParam initial;
  FunctionParam f{FunctionParam::Takes::state_and_element, FunctionParam::Gives::state};
  void fields(Fields& fields) override {
    fields("initial", initial, "The first state.");
    fields("f", f, "(state, element) -> state, of the same structure and dtypes.");
  }
};

class Reduce final : public Cursor {
 public:
  Reduce(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::whole), apply_(opening, params.f) {
    state_.set_row(params.initial.values);
  }

  Step next(Context& ctx, const Demand&, Block& out) override {
    if (done_) return PullResult::end;
    // An error is the result, also a thrown one.
    done_ = true;
    Step step = run(ctx, out);
    if (step.error()) return step;
    done_ = step.answer() == PullResult::end;
    if (!done_) return step;
    input_.consume_all();
    out = std::move(state_);
    return PullResult::rows;
  }

  void state(Archive& archive) override {
    archive("done", done_);
    input_.state(archive);
  }

 private:
  // Consumes all rows that are there now.
  Step run(Context& ctx, Block& out) {
    Demand demand;
    demand.rows = kMaxBlockRows;
    for (;;) {
      PullResult got = input_.fill(ctx, demand);
      if (got != PullResult::rows) return got;
      while (input_.buffered() > 0) {
        const int row = input_.begin();
        ErrorPtr error = step(ctx);
        if (!error) continue;
        out.origins.append(input_.block().origins, row, 1, 0);
        return error;
      }
      if (yield_timer_.should_yield(ctx, input_.block().rows)) return PullResult::pending;
    }
  }

  ErrorPtr step(Context& ctx) {
    const Block& block = input_.block();
    int row = input_.begin();
    if (const ErrorPtr* error = block.error_of(row)) return *error;
    in_.columns.resize(state_.columns.size() + block.columns.size());
    in_.rows = 1;
    size_t at = 0;
    for (Column& column : state_.columns) std::swap(in_.columns[at++], column);
    for (const Column& column : block.columns) in_.columns[at++] = column.slice(row, 1);
    apply_(ctx.session, input_.position(), in_, state_);
    input_.take(1);
    return state_.errors.empty() ? nullptr : state_.errors[0].error;
  }

  Port input_;
  Apply apply_;
  bool done_ = false;
  // The state so far, in one row.
  Block state_;
  Block in_;
  YieldTimer yield_timer_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef> inputs) {
  if (inputs[0]->cardinality() == kInfinite) {
    return invalid_argument(expected_found("a finite dataset", "an infinite one", "put take(n) before it"));
  }
  return function_of(params.f).result();
}
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return 1; }

}  // namespace

const OperatorDef& reduce_operator() {
  static const OperatorDef def = define<Params, Reduce>({
      .name = "reduce",
      .kind = OperatorKind::terminal,
      .doc =
          "One value: `f` applied to `initial` and the first element, then to its result and the second element, and so on. `initial` if there are no elements. A dataset that is known to be infinite is refused.",
      .cost = "One call of `f` per element.",
      .example = "range(5) | reduce(0, (sum, x) -> sum + x)",
      .output = "10",
      .bench = "range(200000) | reduce(0, (s, x) -> s + x)",
      .spec = spec_of<Params, spec>,
      .cardinality = cardinality_of<Params, cardinality>,
      .keeps_rows = true,
      .kept =
          [](const ParamsBase&) {
            return Kept{0, kUnknown};
          },
  });
  return def;
}

}  // namespace weir
