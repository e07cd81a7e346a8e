// Steps of threaded code over a tile: so many entries as fill eight vector registers. A step gets the tile in
// registers, computes, and jumps to the next step with the tile still in registers, so a chain of operations
// reads and writes memory once. (bench: element_chain)
//
//   TileStep steps[] = {{tiles.code(StepKind::load, TileLane::float32), x, 4}, {…add…, y, 4},
//                       {…store…, out, 4}, {…end…}};
//   tiles.run(steps, TileLane::float32, count);
//
// The entries of a tile are all of 4 or all of 8 bytes. In a tile a bool is an integer of that width, 0 or
// -1, and a uint8 one from 0 to 255. Every step gives the bits of the kernel that
// names it (Kernel::step).
#pragma once

#include <cstddef>
#include <cstdint>

#include "expr/types/step_kind.h"

namespace weir {

enum class TileLane : uint8_t { float32, int32, float64, int64 };
inline constexpr size_t kTileLanes = 4;

inline int lane_bytes(TileLane lane) { return lane <= TileLane::int32 ? 4 : 8; }

// Of every instruction set.
inline constexpr size_t kMaxTileBytes = 256;

struct TileStep {
  // Really a function of the registers of its instruction set.
  void (*code)() = nullptr;
  const void* data = nullptr;
  // Bytes from one entry to the next; 0 if every tile uses the same entries.
  int64_t stride = 0;
};

// The steps compiled for one instruction set.
struct Tiles {
  int vector_bytes;
  void (*steps[kStepKinds][kTileLanes])();
  void (*start)(const TileStep* steps, int64_t entries, int64_t count);

  // Null if there is none.
  auto code(StepKind kind, TileLane lane) const {
    return steps[static_cast<size_t>(kind)][static_cast<size_t>(lane)];
  }
  size_t tile_bytes() const { return 8 * static_cast<size_t>(vector_bytes); }
  int64_t entries(TileLane lane) const { return static_cast<int64_t>(tile_bytes()) / lane_bytes(lane); }
  // Computes `count` entries; the last tile may compute some again.
  // REQUIRES: count is at least a tile; the steps begin with a load and end with `end`; results and arguments
  //           don't overlap
  void run(const TileStep* first, TileLane lane, int64_t count) const { start(first, entries(lane), count); }
};

const Tiles& tiles_baseline();
const Tiles& tiles_avx2();
// Those for the processor at hand.
const Tiles& tiles();

}  // namespace weir
