// reduce(initial, f): the last state of f(f(initial, first), second) …, as one element; initial if there is none.
// An error of the input or of f is the result. Checkpoint: none inside; a restored reduction begins again.
#include <cstdint>

#include "dataset/patience.h"
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
      : input_(opening, 0, Port::Mode::whole), apply_(opening, params.f), state_(params.initial.values) {}

  Step next(Context& ctx, const Want&, Block& out) override {
    if (done_) return Pull::end;
    for (;;) {
      Want want;
      want.rows = kMaxBlockRows;
      Pull got = input_.fill(ctx, want);
      if (got == Pull::end) break;
      if (got != Pull::rows) return got;
      int64_t first = input_.position();
      for (int i = 0; input_.buffered() > 0; ++i) {
        if (ErrorPtr error = step(ctx, first + i)) {
          done_ = true;
          return error;
        }
        input_.take(1);
      }
      if (patience_.exhausted(ctx, input_.block().rows)) return Pull::pending;
    }
    done_ = true;
    input_.consume_all();
    out.reset(state_.size());
    out.set_row(state_);
    return Pull::rows;
  }

  void state(Archive& archive) override {
    archive("done", done_);
    input_.state(archive);
  }

 private:
  ErrorPtr step(Context& ctx, int64_t ordinal) {
    if (const ErrorPtr* error = input_.block().error_of(input_.begin())) return *error;
    Components arguments = state_;
    for (const Column& column : input_.block().columns) arguments.push_back(column.row(input_.begin()));
    in_.reset(arguments.size());
    in_.set_row(arguments);
    apply_(ctx.session, ordinal, in_, out_);
    if (!out_.errors.empty()) return out_.errors[0].error;
    state_ = out_.row(0);
    return nullptr;
  }

  Port input_;
  Apply apply_;
  Components state_;
  bool done_ = false;
  Block in_;
  Block out_;
  Patience patience_;
};

Result<Spec> spec(const Params& params, std::span<const DatasetRef>) { return function_of(params.f).result(); }
int64_t cardinality(const Params&, std::span<const DatasetRef>) { return 1; }

}  // namespace

const OperatorDef& reduce_operator() {
  static const OperatorDef def = define<Params, Reduce>({
      .name = "reduce",
      .kind = OperatorKind::terminal,
      .doc = "f(… f(f(initial, first), second) …, last); `initial` if there is no element. "
             "Cost: a call of f an element.",
      .spec = spec_of<Params, spec>,
      .cardinality = cardinality_of<Params, cardinality>,
  });
  return def;
}

}  // namespace weir
