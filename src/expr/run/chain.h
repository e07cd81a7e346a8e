// Chain: consecutive instructions that compute entry by entry over equal shapes, run piece by piece: what one
// gives to the next stays in the nearest cache instead of passing through memory. For those that tiles have
// no steps for (tile_run.h). Private to evaluation.
//
//   Chain chain(program, frame, first, rows, call);
//   if (chain.end() > first) chain.run(destination);
#pragma once

#include "expr/run/call.h"
#include "expr/run/frame.h"

namespace weir {

class Chain {
 public:
  // The entries of a piece: two of float32 lie in the nearest cache, with room for a third. (bench:
  // chain_functions)
  static constexpr int64_t kPieceEntries = 2048;
  // Fewer of all rows together are computed one instruction after the other.
  static constexpr int64_t kLeastEntries = 8192;

  // Finds the instructions from `first` on that run together over the slots at hand; none if that gains
  // nothing.
  // REQUIRES: program.code[first].begins_chain; no row has failed.
  Chain(const Program& program, Frame& frame, size_t first, int rows, const Call& call);

  // One past the last instruction; the first if there is no chain.
  size_t end() const { return end_; }
  // Computes the results that are used elsewhere. `destination` gives the column of a register, or null.
  template <class F>
  void run(F destination) {
    for (size_t i = first_; i < end_; ++i) begin(i, destination(result(i)));
    run_pieces();
  }

 private:
  int result(size_t i) const { return program_.code[i].results[0]; }
  Slot& slot(int reg) const { return frame_.slots[static_cast<size_t>(reg)]; }
  // True if an instruction of the chain computes it.
  bool inside(int reg) const;
  // True if the result is used outside.
  bool kept(size_t i) const { return program_.code[i].last_use >= static_cast<int>(end_); }
  bool find_shape();
  bool fits(size_t i) const;
  void begin(size_t i, Column* destination);
  // Entries [at, at + count) of the rows from `row` on: of one row, or if `rows` is more of all.
  struct Piece {
    int row;
    int rows;
    int64_t at;
    int64_t count;
  };
  void run_pieces();
  void run(const Piece& piece);
  Arg argument(int reg, const Piece& piece) const;

  const Program& program_;
  Frame& frame_;
  const size_t first_;
  size_t end_;
  const int rows_;
  const Call& call_;
  // Of a row of the results, and of an argument that is not a single entry.
  Shape shape_;
  int64_t entries_ = 0;
};

}  // namespace weir
