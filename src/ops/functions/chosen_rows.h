// ChosenRows: the cursor of an operator that gives some elements of its input and leaves out the others, as
// filter and unique do. While it chooses none it pulls more and more rows at a time, and gives its thread
// back in between. Its position is the input's: rows that were pulled and not looked at come again.
#pragma once

#include <vector>

#include "dataset/operator.h"
#include "dataset/yield_timer.h"

namespace weir {

class ChosenRows : public RestartableCursor {
 public:
  bool restart(Opening& opening, const ParamsBase& params) override;
  Step next(Context& ctx, const Demand& demand, Block& out) final;
  int64_t lose(const ErrorPtr& error) noexcept final;
  void state(Archive& archive) override { input_.state(archive); }

 protected:
  // The rows to give, and the errors that some of them are, by their index in `rows`.
  struct Chosen {
    std::vector<int32_t> rows;
    RowErrors errors;
  };

  explicit ChosenRows(Opening& opening) : input_(opening, 0, Port::Mode::keep) {}
  // Called once for each block, whose first row has this number. If it throws, all its rows are lost.
  virtual void judge(Context& ctx, const Block& block, int64_t first) = 0;
  // Adds rows from `begin` on, at most `limit`. Returns the row after the last one that it looked at. If it
  // throws, those that it has added are lost, or the first if there are none.
  virtual int choose(const Block& block, int begin, int limit, Chosen& chosen) = 0;

 private:
  void give(const Demand& demand, Block& out);
  void pass(int rows);

  Port input_;
  // The block in the Port has been judged.
  bool judged_ = false;
  Chosen chosen_;
  // How many buffered rows they were chosen from.
  int looked_at_ = 0;
  // The least number of rows of the next pull: doubled as long as none is chosen.
  int width_ = 0;
  YieldTimer yield_timer_;
};

}  // namespace weir
