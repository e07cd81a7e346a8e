// reduce(initial, f): the last state of f(f(initial, first), second) …, as one element; initial if the input
// is empty. An error of the input or of f is the result. Checkpoint: nothing; a restored reduction begins
// again.
#include <cstdint>
#include <utility>

#include "dataset/yield_timer.h"
#include "ops/functions/state_fold.h"

namespace weir::reduce_op {
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
      : input_(opening, 0, Port::Mode::whole), fold_(opening, params.initial, params.f) {}

  Step next(Context& ctx, const Demand&, Block& out) override {
    if (done_) return PullResult::end;
    // An error is the result, also a thrown one.
    done_ = true;
    Step step = run(ctx, out);
    if (step.error()) return step;
    done_ = step.answer() == PullResult::end;
    if (!done_) return step;
    input_.consume_all();
    out = std::move(fold_.state());
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
      const Block& block = input_.block();
      RowErrors errors;
      fold_.run(ctx.session, input_.position() - input_.begin(), block, input_.begin(), block.rows, true,
                errors, nullptr);
      input_.take(input_.buffered());
      if (!errors.empty()) {
        out.origins.append(block.origins, errors[0].row, 1, 0);
        return errors[0].error;
      }
      if (yield_timer_.should_yield(ctx, input_.block().rows)) return PullResult::pending;
    }
  }

  Port input_;
  StateFold fold_;
  bool done_ = false;
  YieldTimer yield_timer_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) {
  return function_of(params.f).result();
}
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return 1; }

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Reduce>({
      .name = "reduce",
      .kind = OperatorKind::terminal,
      .page =
          {.doc =
               "Folds all elements into one value with `f`, starting from `initial`. `f` gets `initial` and the first element, then its result and the second element, and so on. The value has the structure of `initial`, and is `initial` if there are no elements. A dataset that is known to be infinite is refused.",
           .cost = "One call of `f` per element.",
           .tf_names = "initial_state=initial reduce_func=f",
           .example = "range(5) | reduce(0, (sum, x) -> sum + x)",
           .output = "10",
           .bench = "range(200000) | reduce(0, (s, x) -> s + x)",
           .elsewhere =
               "fold foldl fold_left aggregate: reduce(initial, (s, x) -> …)\nsum: reduce(0, (s, x) -> s + x)\ncount: reduce(0, (n, x) -> n + 1)"},
      .typing = {.spec = spec_of<Params, spec>,
                 .cardinality = cardinality_of<Params, cardinality>,
                 .needs = needs_of_fold<Params>},
      .position = {.keeps_rows = true,
                   .kept =
                       [](const ParamsBase&) {
                         return Kept{0, kUnknown, true};
                       }},
  });
  return def;
}

}  // namespace weir::reduce_op
