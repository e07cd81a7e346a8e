// take_while(f): the elements before the first for which f is false, which is lost. Errors of the input and
// of f keep their places, and the next element follows. Checkpoint: the input's position.
#include <algorithm>
#include <utility>

#include "expr/compile/composed_function.h"
#include "ops/functions/apply.h"

namespace weir::take_while_op {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::boolean};
  void fields(Fields& fields) override { fields("f", f, "The condition: returns a bool."); }
};

class TakeWhile final : public Cursor {
 public:
  TakeWhile(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass), apply_(opening, params.f) {}

  Step next(Context& ctx, const Demand& demand, Block& out) override {
    if (done_) return PullResult::end;
    in_.rows = 0;
    // The condition needs the values of elements that nobody wants.
    Demand wanted = demand;
    wanted.drop = false;
    PullResult got = input_.pull(ctx, wanted, in_);
    if (got != PullResult::rows) return got;
    apply_(ctx.session, input_.position() - in_.rows, in_, verdict_);
    const int kept = first_false();
    // Nothing may fail once rows have left in_, since lose() counts them there.
    for (const RowError& error : verdict_.errors) in_.fail_row(error.row, error.error);
    const bool ends = kept < in_.rows;
    if (ends) in_ = in_.slice(0, kept);
    done_ = ends;
    if (kept == 0) return PullResult::end;
    std::swap(out, in_);
    return PullResult::rows;
  }

  int64_t lose(const ErrorPtr&) noexcept override { return std::max(in_.rows, 1); }

  void state(Archive& archive) override {
    archive("done", done_);
    input_.state(archive);
  }

 private:
  // The number of rows before the first for which the function is false.
  int first_false() const {
    for (int row = 0; row < in_.rows; ++row) {
      if (!verdict_.failed(row) && !*verdict_.columns[0].row(row).as<const bool>()) return row;
    }
    return in_.rows;
  }

  Port input_;
  Apply apply_;
  bool done_ = false;
  Block in_;
  // What f returns for in_.
  Block verdict_;
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, TakeWhile>({
      .name = "take_while",
      .page =
          {.doc =
               "Takes elements until `f` returns false for the first time. An element for which `f` fails is an error, and the next one follows.",
           .cost = "One call of `f` per block of elements.",
           .tf_names = "predicate=f",
           .example = "range(9) | take_while(x -> x * x < 7)",
           .output = "0\n1\n2",
           .bench = "range(1000000) | take_while(x -> x >= 0)"},
      .typing = {.needs =
                     [](const Dataset& node, const Marks& used, std::vector<Marks>& needed) {
                       needed[0] = used;
                       add_needed(function_of(static_cast<const Params&>(node.params()).f), 0, needed[0]);
                     }},
      .position = {.ends_early = true, .passes_positions = true},
  });
  return def;
}

}  // namespace weir::take_while_op
