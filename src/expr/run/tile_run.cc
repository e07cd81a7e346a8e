#include "expr/run/tile_run.h"

#include <cstring>

#include "core/checked.h"
#include "core/float_mode.h"

namespace weir {

namespace {

template <class T>
void fill(uint8_t* tile, size_t bytes, T entry) {
  auto* entries = reinterpret_cast<T*>(tile);
  for (size_t k = 0; k < bytes / sizeof(T); ++k) entries[k] = entry;
}

// The entry as it stands in a tile.
template <class T>
T in_tile(const uint8_t* entry, DType dtype) {
  if (dtype == DType::boolean) return static_cast<T>(*entry != 0 ? -1 : 0);
  if (dtype == DType::uint8) return static_cast<T>(*entry);
  T bits;
  std::memcpy(&bits, entry, sizeof(T));
  return bits;
}

}  // namespace

TileRun::TileRun(const Program& program, const TilePlan& plan, Frame& frame, int rows, const Call& call)
    : program_(program), plan_(plan), frame_(frame), rows_(rows), call_(call), tiles_(weir::tiles()) {
  fits_ = find_shape() && within_limits();
}

bool TileRun::find_shape() {
  bool uniform = true;
  bool flat = true;
  for (size_t i = 0; i < plan_.columns.size(); ++i) {
    const Slot& from = slot(plan_.columns[i]);
    if (from.form != Slot::Form::dense) return false;
    if (i == 0) {
      shape_ = from.view.shape;
      entries_ = shape_.count();
    } else if (from.view.shape != shape_) {
      return false;
    }
    uniform = uniform && from.uniform;
    flat = flat && from.view.stride == static_cast<int64_t>(from.view.row_bytes());
  }
  for (const TilePlan::Single& single : plan_.singles) {
    const Slot& from = slot(single.reg);
    if (from.form != Slot::Form::dense || from.view.shape.rank() > shape_.rank()) return false;
    flat = flat && from.uniform;
  }
  flat_ = flat || rows_ == 1;
  return !uniform && entries_ * (flat_ ? rows_ : 1) >= tiles_.entries(plan_.lane);
}

bool TileRun::within_limits() const {
  const auto bytes = checked_multiply(
      checked_multiply(entries_, static_cast<int64_t>(lane_bytes(plan_.lane))), static_cast<int64_t>(rows_));
  return bytes && *bytes <= call_.tensor_bytes;
}

void TileRun::begin(int reg, Column* destination) {
  Slot& out = slot(reg);
  out.begin(dtype(reg), rows_, destination, call_.room);
  out.make(0, rows_, shape_);
}

uint8_t* TileRun::tile(int slot) const {
  return frame_.tiles->data() + static_cast<size_t>(slot) * tiles_.tile_bytes();
}

void TileRun::fill_singles(int row) {
  for (const TilePlan::Single& single : plan_.singles) {
    const Slot& from = slot(single.reg);
    if (row > 0 && from.view.stride == 0) continue;
    const uint8_t* entry = from.view.row<uint8_t>(row);
    if (lane_bytes(single.lane) == 4) {
      fill(tile(single.slot), tiles_.tile_bytes(), in_tile<int32_t>(entry, from.view.dtype));
    } else {
      fill(tile(single.slot), tiles_.tile_bytes(), in_tile<int64_t>(entry, from.view.dtype));
    }
  }
}

void TileRun::set_steps(int row) {
  TileStep* step = frame_.steps.data();
  for (const TilePlan::Planned& planned : plan_.steps) {
    step->code = tiles_.code(planned.kind, planned.lane);
    step->stride = 0;
    if (planned.operand == TilePlan::Operand::slot) {
      step->data = tile(planned.index);
    } else if (planned.operand == TilePlan::Operand::column) {
      const Arg& view = slot(planned.index).view;
      step->data = view.row<uint8_t>(row);
      step->stride = static_cast<int64_t>(dtype_size(view.dtype));
    }
    ++step;
  }
}

void TileRun::run_steps() {
  FloatMode mode;
  for (int row = 0; row < (flat_ ? 1 : rows_); ++row) {
    fill_singles(row);
    set_steps(row);
    tiles_.run(frame_.steps.data(), plan_.lane, entries_ * (flat_ ? rows_ : 1));
  }
  // What stayed in registers is no value.
  for (size_t i = plan_.first; i < plan_.end; ++i) {
    const Instruction& instruction = program_.code[i];
    if (instruction.last_use < static_cast<int>(plan_.end))
      slot(instruction.results[0]).form = Slot::Form::empty;
  }
}

}  // namespace weir
