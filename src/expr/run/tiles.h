// Steps of threaded code over a tile: so many entries as fill eight vector registers. A step gets the tile in
// registers, computes, and jumps to the next step with the tile still in registers, so a chain of operations
// reads and writes memory once. (bench: element_chain)
//
//   TileStep steps[] = {{tiles.code(StepKind::load, TileLane::float32), x, 4}, {…add…, y, 4},
//                       {…store…, out, 4}, {…end…}};
//   tiles.run(steps, TileLane::float32, count);
//
// The entries of a tile are all of 4 or all of 8 bytes. In a tile a bool is an integer of that width, 0 or
// -1, and a uint8 one from 0 to 255. Every step gives the bits of the function that it is named after.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

enum class TileLane : uint8_t { float32, int32, float64, int64 };
inline constexpr size_t kTileLanes = 4;

inline int lane_bytes(TileLane lane) { return lane <= TileLane::int32 ? 4 : 8; }

enum class StepKind : uint8_t {
  // The tile from the entries at data + at * stride, of the lane's type, bytes, or bools.
  load,
  load_bytes,
  load_bools,
  // Writes the tile there, and leaves it as it is.
  store,
  store_bytes,
  store_bools,
  // The last step: the tile is done.
  end,

  // The tile and the entries at data + at * stride, of the lane's type.
  add,
  subtract,
  subtract_from,
  multiply,
  divide,
  divide_into,
  minimum,
  minimum_with,
  maximum,
  maximum_with,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  bits_and,
  bits_or,

  // The tile alone.
  abs,
  ceil,
  floor,
  bits_not,
  is_finite,
  is_nan,
  negative,
  reciprocal,
  round,
  rsqrt,
  sign,
  sqrt,
  square,
  // From the lane's type to the other type of its width.
  to_float,
  // From a bool to the lane's type, and back.
  from_bool,
  to_bool,

  // The tile and the entries of this step and the next one: low and high; those for true and for false.
  clip,
  choose,
};
// Of every instruction set.
inline constexpr size_t kMaxTileBytes = 256;
inline constexpr size_t kStepKinds = static_cast<size_t>(StepKind::choose) + 1;

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
