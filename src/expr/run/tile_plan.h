// TilePlan: consecutive instructions that compute entry by entry over equal shapes, as steps over tiles
// (tiles.h). What one gives to the next stays in registers. Made by plan_tiles.h; private to src/expr.
#pragma once

#include <vector>

#include "expr/run/tiles.h"

namespace weir {

struct TilePlan {
  // Where a step finds or leaves entries.
  enum class Operand : uint8_t {
    none,
    column,  // of a register: an argument, or a result that is used outside
    slot,    // a tile in the frame
  };
  struct Planned {
    StepKind kind;
    TileLane lane;
    Operand operand = Operand::none;
    int index = -1;
  };
  // An argument that is a single entry: its slot is filled with it beforehand.
  struct Single {
    int reg;
    TileLane lane;
    int slot;
  };

  size_t first = 0;
  // One past the last instruction.
  size_t end = 0;
  // Tells how many entries a tile has.
  TileLane lane = TileLane::float32;
  std::vector<Planned> steps;
  int slots = 0;
  std::vector<Single> singles;
  // Other arguments: of the shape of the results.
  std::vector<int> columns;
  // Results that are used outside.
  std::vector<int> results;
};

}  // namespace weir
