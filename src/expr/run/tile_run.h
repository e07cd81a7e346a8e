// TileRun: runs a TilePlan over the slots of a frame, if their shapes are those that it was made for. Private
// to evaluation.
//
//   TileRun run(program, plan, frame, rows, call);
//   if (run.fits()) run.run(destination);
#pragma once

#include "expr/run/call.h"
#include "expr/run/frame.h"

namespace weir {

class TileRun {
 public:
  // REQUIRES: no row has failed
  TileRun(const Program& program, const TilePlan& plan, Frame& frame, int rows, const Call& call);

  // False if other shapes have come, or too few entries for a tile.
  bool fits() const { return fits_; }
  // Computes the results that are used outside the plan. `destination` gives the column of a register, or
  // null.
  // REQUIRES: fits()
  template <class F>
  void run(F destination) {
    for (int reg : plan_.results) begin(reg, destination(reg));
    run_steps();
  }

 private:
  Slot& slot(int reg) const { return frame_.slots[static_cast<size_t>(reg)]; }
  DType dtype(int reg) const { return program_.registers[static_cast<size_t>(reg)].type.dtype; }
  bool find_shape();
  bool within_limits() const;
  void begin(int reg, Column* destination);
  void run_steps();
  uint8_t* tile(int slot) const;
  void fill_singles(int row);
  // The steps for the rows from `row` on.
  void set_steps(int row);

  const Program& program_;
  const TilePlan& plan_;
  Frame& frame_;
  const int rows_;
  const Call& call_;
  const Tiles& tiles_;
  Shape shape_;
  int64_t entries_ = 0;
  // All rows lie one after the other, so they are computed as one.
  bool flat_ = false;
  bool fits_ = false;
};

}  // namespace weir
