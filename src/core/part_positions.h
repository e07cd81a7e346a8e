// PartPositions: where the parts of a partition are, as a checkpoint has them and as an iterator continues
// that has them from several ranks. Many parts are alike, so together they are packed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/checked.h"
#include "core/status.h"
#include "core/world.h"

namespace weir {

// The greatest number of parts.
inline constexpr int64_t kMostParts = int64_t{1} << 20;
// The greatest number of rows that a part has given, so that a turn of any of them is an int64.
inline constexpr int64_t kMostGiven = kMostCounted / kMostParts;

// failed_precondition unless the ranks have equally many of the parts, whose number may not be known.
Status check_parts(int64_t parts, const World& world);

struct PartPosition {
  int64_t number = 0;
  // How many rows it has given, which may be more than its state says.
  int64_t given = 0;
  bool ended = false;
  // Empty if it was not opened.
  std::string state;
};

struct PartPositions {
  // How many parts there are.
  int64_t n = 0;
  // What the partition writes of its input.
  std::string source;
  // Some of them, with rising numbers; the others have given nothing.
  std::vector<PartPosition> parts;
  // Reading leaves out the parts that this rank does not own, or all.
  World owner{};
  bool leaves_out_all = false;

  void state(Archive& archive);
};

}  // namespace weir
