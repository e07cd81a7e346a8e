// filter(f): the elements for which f is true. Errors of the input and of f keep their places. A row that
// memory runs out for is an error whether it would have passed or not, so positions counted after it may be
// one too far on. Checkpoint: the input's position.
#include <algorithm>

#include "ops/functions/apply.h"
#include "ops/functions/chosen_rows.h"
#include "ops/list.h"

namespace weir {

void FilterParams::fields(Fields& fields) { fields("f", f, "The condition: returns a bool."); }
namespace filter_op {
namespace {
using Params = FilterParams;

class Filter final : public ChosenRows {
 public:
  Filter(Opening& opening, const Params& params) : ChosenRows(opening), apply_(opening, params.f) {}

  bool restart(Opening& opening, const ParamsBase& params) override {
    apply_ = Apply(opening, static_cast<const Params&>(params).f);
    return ChosenRows::restart(opening, params);
  }

 private:
  void judge(Context& ctx, const Block& block, int64_t first) override {
    apply_(ctx.session, first, block, verdict_);
  }

  int choose(const Block& block, int begin, int limit, Chosen& chosen) override {
    const Column& column = verdict_.columns[0];
    const auto most = static_cast<size_t>(std::min(limit, block.rows - begin));
    int row = begin;
    if (column.dense() && verdict_.errors.empty()) {
      const bool* const verdict = column.tensor().as<const bool>();
      chosen.rows.resize(most);
      size_t count = 0;
      for (; row < block.rows && count < most; ++row) {
        chosen.rows[count] = row;
        count += verdict[row] ? 1 : 0;
      }
      chosen.rows.resize(count);
      return row;
    }
    chosen.rows.reserve(most);
    for (; row < block.rows && chosen.rows.size() < most; ++row) {
      const ErrorPtr* const error = verdict_.error_of(row);
      if (error) chosen.errors.push_back({static_cast<int>(chosen.rows.size()), *error});
      if (error || *column.row(row).as<const bool>()) chosen.rows.push_back(row);
    }
    return row;
  }

  Apply apply_;
  // What f returns for the rows of the block.
  Block verdict_;
};

}  // namespace

const OperatorDef& definition() {
  static const OperatorDef def = define<Params, Filter>({
      .name = "filter",
      .page =
          {.doc =
               "Keeps the elements for which `f` is true, in their order. An element for which `f` fails is an error.",
           .cost = "One call of `f` per block of elements, and a copy of the elements that stay.",
           .tf_names = "predicate=f",
           .example = "range(6) | filter(x -> x % 2 == 0)",
           .output = "0\n2\n4",
           .bench = "range(1000000) | filter(x -> x % 2 == 0)",
           .elsewhere =
               "filter_map: filter(x -> …) | map(x -> …)\nwhere: filter(x -> …)\nreject: filter(x -> not …)\nsample random_sample: filter(x -> random_uniform([]) < 0.1)"},
      .typing = {.columns = Columns::judged},
      .position = {.kept =
                       [](const ParamsBase&) {
                         return Kept{kMaxBlockRows, 0};
                       }},
  });
  return def;
}

}  // namespace filter_op
}  // namespace weir
