// StateFold: what reduce, scan and group_by_reducer share: a state, and the function (state, element) ->
// (state, …) that is applied to one row after the other. A row that fails keeps the state. States of numbers
// of fixed shapes take about 10 ns per row, others about 150 ns.
#pragma once

#include <utility>

#include "dataset/held_rows.h"
#include "expr/compile/composed_function.h"
#include "expr/run/row_loop.h"
#include "ops/functions/apply.h"

namespace weir {

// OperatorTyping::needs of an operator whose `f` folds its input.
template <class Params>
void needs_of_fold(const Dataset& node, const Marks&, std::vector<Marks>& needed) {
  const Function& f = function_of(static_cast<const Params&>(node.params()).f);
  const size_t elements = needed[0].size();
  needed[0].assign(elements, false);
  add_needed(f, f.input().components().size() - elements, needed[0]);
}

class StateFold {
 public:
  StateFold(const Opening& opening, const ValueParam& initial, const FunctionParam& function);
  // A fold whose states come by begin().
  StateFold(const Opening& opening, const FunctionParam& function);

  // Applies the function to the rows [begin, end), whose ordinals count from `first` at row 0. The errors of
  // rows, also those of `in`, go to `errors`; with `only_one` nothing comes after the first. `results`: null,
  // or gets as many rows as `in` has, with the outputs of the function. If it throws, the state is as before.
  // REQUIRES: there is a state; if there are `results`, all rows are wanted, and only_one is false
  void run(Session& session, int64_t first, const Block& in, int begin, int end, bool only_one,
           RowErrors& errors, Block* results);

  // The state, in one row.
  Block& state();
  // Goes on from another state, one row.
  void begin(Block state) noexcept {
    state_ = std::move(state);
    in_loop_ = false;
  }
  const Function& function() const { return apply_.function(); }
  // The structure of the state.
  const Spec& spec() const { return spec_; }
  // Saves and loads the state by value.
  void save(Archive& archive);

 private:
  void run_loop(Session& session, int64_t first, const Block& in, int begin, int end, bool only_one,
                RowErrors& errors, Block* results);
  void call_each(Session& session, int64_t first, const Block& in, int begin, int end, bool only_one,
                 RowErrors& errors, Block* results);
  ErrorPtr call(Session& session, int64_t ordinal, const Block& in, int row);
  bool enter_loop();

  Apply apply_;
  const Spec spec_;
  // Of the state.
  const std::vector<Component> components_;
  // Null if the function can only be called.
  std::unique_ptr<RowLoop> loop_;
  // The loop has the state.
  bool in_loop_ = false;
  // Else it is here.
  Block state_;
  // A call's arguments and results, kept for their memory.
  Block in_;
  Block out_;
  Block row_;
  std::vector<uint8_t*> places_;
};

}  // namespace weir
