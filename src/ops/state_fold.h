// StateFold: what reduce and scan share: a state, and the function (state, element) -> (state, …) that is applied to one
// row after the other. A row that fails keeps the state. States of numbers of fixed shapes take about 10 ns per row, others
// about 150 ns.
#pragma once

#include "dataset/held_rows.h"
#include "expr/row_loop.h"
#include "ops/apply.h"

namespace weir {

class StateFold {
 public:
  StateFold(const Opening& opening, const ValueParam& initial, const FunctionParam& function);

  // Applies the function to the rows [begin, in.rows), whose ordinals count from `first` at row 0. The errors of rows, also
  // those of `in`, go to `errors`; with `only_one` nothing comes after the first. `results`: null, or gets as many rows as
  // `in` has, with what the function returns beside the state.
  // If it throws, the state is as before.
  // REQUIRES of `results`: begin is 0, and only_one false
  void run(Session& session, int64_t first, const Block& in, int begin, bool only_one, RowErrors& errors,
           Block* results);

  // The state, in one row.
  Block& state();
  // Saves and loads the state by value.
  void save(Archive& archive);

 private:
  void run_loop(Session& session, int64_t first, const Block& in, int begin, bool only_one, RowErrors& errors,
                Block* results);
  void call_each(Session& session, int64_t first, const Block& in, int begin, bool only_one,
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
