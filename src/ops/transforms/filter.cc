// filter(f): the elements for which f is true. Errors of the input and of f stand in their places.
// Checkpoint: the input's position.
#include <vector>

#include "dataset/patience.h"
#include "ops/apply.h"

namespace weir {
namespace {

struct Params : ParamsOf<Params> {
  FunctionParam f{FunctionParam::Takes::element, FunctionParam::Gives::boolean};
  void fields(Fields& fields) override { fields("f", f, "The condition: gives a bool."); }
};

class Filter final : public Cursor {
 public:
  Filter(Opening& opening, const Params& params)
      : input_(opening, 0, Port::Mode::pass), apply_(opening, params.f) {}

  Step next(Context& ctx, const Want& want, Block& out) override {
    for (;;) {
      // want.rows rows of output take at least as many of input.
      Want wanted = want;
      wanted.drop = false;
      Pull got = input_.pull(ctx, wanted, in_);
      if (got != Pull::rows) return got;
      apply_(ctx.session, input_.position() - in_.rows, in_, verdict_);
      select();
      if (!keep_.empty()) break;
      if (patience_.exhausted(ctx, in_.rows)) return Pull::pending;
    }
    patience_.reset();
    std::swap(in_.errors, verdict_.errors);
    if (want.drop) {
      out.reset(0);
      Block counted;
      counted.errors = std::move(in_.errors);
      counted.rows = in_.rows;
      out.gather_from(counted, keep_);
    } else if (static_cast<int>(keep_.size()) == in_.rows) {
      std::swap(out, in_);
    } else {
      out.gather_from(in_, keep_);
    }
    return Pull::rows;
  }

  void state(Archive& archive) override { input_.state(archive); }

 private:
  // Lists the rows that stay: those that are true or failed.
  void select() {
    const Column& column = verdict_.columns[0];
    size_t count = 0;
    keep_.resize(static_cast<size_t>(in_.rows));
    if (column.dense() && verdict_.errors.empty()) {
      const bool* verdict = column.tensor().as<const bool>();
      for (int i = 0; i < in_.rows; ++i) {
        keep_[count] = i;
        count += verdict[i] ? 1 : 0;
      }
    } else {
      for (int i = 0; i < in_.rows; ++i) {
        if (verdict_.failed(i) || *column.row(i).as<const bool>()) keep_[count++] = i;
      }
    }
    keep_.resize(count);
  }

  Port input_;
  Apply apply_;
  Block in_;
  Block verdict_;
  std::vector<int32_t> keep_;
  Patience patience_;
};

}  // namespace

const OperatorDef& filter_operator() {
  static const OperatorDef def = define<Params, Filter>({
      .name = "filter",
      .doc = "The elements for which `f` is true. An element for which f fails is an error. "
             "Cost: the function over whole blocks and a copy of what stays.",
      .spec = same_spec,
      .cardinality = unknown_cardinality,
  });
  return def;
}

}  // namespace weir
