#include "expr/compile/plan_tiles.h"

#include <algorithm>
#include <map>
#include <optional>

namespace weir {

namespace {

// Bools and bytes are as wide in a tile as what they stand beside.
bool is_narrow(DType dtype) { return dtype == DType::boolean || dtype == DType::uint8; }

// The width of a dtype in tiles: 4 or 8, 0 if either will do, -1 if there are no steps for it.
int width_of(DType dtype) {
  if (is_narrow(dtype)) return 0;
  if (dtype == DType::float32 || dtype == DType::int32) return 4;
  return dtype == DType::float64 || dtype == DType::int64 ? 8 : -1;
}

TileLane integers_of(int width) { return width == 8 ? TileLane::int64 : TileLane::int32; }

TileLane lane_of(DType dtype, int width) {
  if (dtype == DType::float32) return TileLane::float32;
  if (dtype == DType::float64) return TileLane::float64;
  return integers_of(width);
}

// The step with its two arguments swapped.
StepKind swapped(StepKind step) {
  switch (step) {
    case StepKind::subtract:
      return StepKind::subtract_from;
    case StepKind::divide:
      return StepKind::divide_into;
    case StepKind::minimum:
      return StepKind::minimum_with;
    case StepKind::maximum:
      return StepKind::maximum_with;
    case StepKind::less:
      return StepKind::greater;
    case StepKind::less_equal:
      return StepKind::greater_equal;
    case StepKind::greater:
      return StepKind::less;
    case StepKind::greater_equal:
      return StepKind::less_equal;
    default:
      return step;
  }
}

// Bytes wrap at 256, which their integers in a tile don't.
bool wraps(StepKind step) {
  return step == StepKind::add || step == StepKind::subtract || step == StepKind::multiply ||
         step == StepKind::abs || step == StepKind::negative || step == StepKind::sign ||
         step == StepKind::square;
}

bool has_one_entry(const Shape& shape) {
  if (!shape.rank_known()) return false;
  return std::all_of(shape.dims().begin(), shape.dims().end(), [](int64_t size) { return size == 1; });
}

class Planner {
 public:
  Planner(const Program& program, size_t first) : program_(program) {
    plan_.first = first;
    plan_.end = first;
    if (!has_op(first)) return;
    shape_ = result(first).shape;
    while (plan_.end < program.code.size() && takes(plan_.end)) ++plan_.end;
  }

  size_t end() const { return plan_.end; }
  TilePlan make();

 private:
  const Component& type(int reg) const { return program_.registers[static_cast<size_t>(reg)].type; }
  const Instruction& code(size_t i) const { return program_.code[i]; }
  const Component& result(size_t i) const { return type(code(i).results[0]); }
  // True if an instruction of the plan computes it.
  bool inside(int reg) const {
    const Register& source = program_.registers[static_cast<size_t>(reg)];
    return source.source == Register::Source::computed &&
           source.instruction >= static_cast<int>(plan_.first) &&
           source.instruction < static_cast<int>(plan_.end);
  }
  bool kept(size_t i) const { return code(i).last_use >= static_cast<int>(plan_.end); }
  // A single entry for all those of a row.
  bool single(int reg) const;

  bool has_op(size_t i) const { return code(i).by_entries && code(i).step != StepKind::none; }
  bool takes(size_t i);
  bool has_step(const Instruction& instruction, int width) const;
  std::optional<StepKind> cast_step(DType from, DType to) const;

  // What an instruction takes from the tile: the argument's index, or -1.
  int from_tile(size_t i) const;
  void find_stored();
  // The slot of an argument that steps read beside the tile.
  int slot_of(int reg);
  void load(int reg);
  void emit(size_t i);
  void add(StepKind kind, TileLane lane, TilePlan::Operand operand = TilePlan::Operand::none,
           int index = -1) {
    plan_.steps.push_back({kind, lane, operand, index});
  }
  void add_operand(StepKind kind, TileLane lane, int reg);
  TileLane lane(int reg) const { return lane_of(type(reg).dtype, width_); }

  const Program& program_;
  TilePlan plan_;
  Shape shape_;
  // 0 as long as it is open.
  int width_ = 0;
  // By registers: results that steps read from memory, and slots.
  std::map<int, bool> stored_;
  std::map<int, int> slots_;
};

bool Planner::single(int reg) const {
  const Register& source = program_.registers[static_cast<size_t>(reg)];
  if (!has_one_entry(source.type.shape)) return false;
  return source.source == Register::Source::constant || source.source == Register::Source::env ||
         !has_one_entry(shape_);
}

std::optional<StepKind> Planner::cast_step(DType from, DType to) const {
  const bool to_float = to == DType::float32 || to == DType::float64;
  const bool from_float = from == DType::float32 || from == DType::float64;
  if (to == DType::boolean) return StepKind::to_bool;
  if (from == DType::boolean) return StepKind::from_bool;
  if (to_float && !from_float) return StepKind::to_float;
  // Bytes are integers already.
  if (!from_float && !is_narrow(to)) return StepKind::load;
  return {};
}

bool Planner::has_step(const Instruction& instruction, int width) const {
  const DType from = type(instruction.args[0]).dtype;
  const DType to = type(instruction.results[0]).dtype;
  if (instruction.step == StepKind::cast) return cast_step(from, to).has_value();
  if (is_narrow(from) && wraps(instruction.step)) return false;
  return tiles_baseline().code(instruction.step, lane_of(from, width)) != nullptr;
}

// Decides the width if the instruction does.
bool Planner::takes(size_t i) {
  const Instruction& instruction = code(i);
  if (!has_op(i) || result(i).shape != shape_) return false;
  int width = width_;
  bool whole = false;
  bool varies = false;
  std::vector<int> registers = instruction.args;
  registers.push_back(instruction.results[0]);
  for (int reg : registers) {
    const int own = width_of(type(reg).dtype);
    if (own < 0 || (own > 0 && width > 0 && own != width)) return false;
    width = std::max(width, own);
  }
  for (int reg : instruction.args) {
    const Register::Source source = program_.registers[static_cast<size_t>(reg)].source;
    const Shape& shape = type(reg).shape;
    if (!single(reg) && shape.is_static() && shape_.is_static() && shape != shape_) return false;
    whole = whole || inside(reg) || !single(reg);
    varies = varies || source == Register::Source::input || source == Register::Source::computed;
  }
  if (!whole || !varies || !has_step(instruction, width)) return false;
  width_ = width;
  return true;
}

int Planner::from_tile(size_t i) const {
  if (i == plan_.first) return -1;
  const int before = code(i - 1).results[0];
  const std::vector<int>& args = code(i).args;
  if (args[0] == before) return 0;
  return args.size() == 2 && args[1] == before ? 1 : -1;
}

void Planner::find_stored() {
  for (size_t i = plan_.first; i < plan_.end; ++i) {
    const int taken = from_tile(i);
    const std::vector<int>& args = code(i).args;
    for (size_t k = 0; k < args.size(); ++k) {
      if (static_cast<int>(k) != taken && inside(args[k])) stored_[args[k]] = true;
    }
  }
}

int Planner::slot_of(int reg) {
  const auto [found, added] = slots_.try_emplace(reg, plan_.slots);
  if (added) ++plan_.slots;
  return found->second;
}

// An operand beside the tile.
void Planner::add_operand(StepKind kind, TileLane lane, int reg) {
  const bool in_slot = slots_.count(reg) != 0;
  add(kind, lane, in_slot ? TilePlan::Operand::slot : TilePlan::Operand::column,
      in_slot ? slots_.at(reg) : reg);
}

void Planner::load(int reg) {
  if (slots_.count(reg) != 0) return add(StepKind::load, lane(reg), TilePlan::Operand::slot, slots_.at(reg));
  const DType dtype = type(reg).dtype;
  const StepKind kind = dtype == DType::boolean ? StepKind::load_bools
                        : dtype == DType::uint8 ? StepKind::load_bytes
                                                : StepKind::load;
  add(kind, lane(reg), TilePlan::Operand::column, reg);
}

void Planner::emit(size_t i) {
  const Instruction& instruction = code(i);
  const std::vector<int>& args = instruction.args;
  const int taken = from_tile(i);
  if (taken < 0) load(args[0]);
  const DType from = type(args[0]).dtype;
  const int out = instruction.results[0];
  if (instruction.step == StepKind::cast) {
    const StepKind kind = *cast_step(from, result(i).dtype);
    if (kind != StepKind::load) add(kind, kind == StepKind::from_bool ? lane(out) : lane(args[0]));
  } else {
    const StepKind step = instruction.step;
    const TileLane own = lane(args[0]);
    if (args.size() == 1) add(step, own);
    if (args.size() == 2) add_operand(taken == 1 ? swapped(step) : step, own, args[taken == 1 ? 0 : 1]);
    if (args.size() == 3) {
      add_operand(step, own, args[1]);
      add_operand(step, own, args[2]);
    }
  }
  const DType dtype = result(i).dtype;
  if (kept(i)) {
    const StepKind kind = dtype == DType::boolean ? StepKind::store_bools
                          : dtype == DType::uint8 ? StepKind::store_bytes
                                                  : StepKind::store;
    add(kind, lane(out), TilePlan::Operand::column, out);
    plan_.results.push_back(out);
  }
  if (stored_.count(out) != 0 && (!kept(i) || is_narrow(dtype)))
    add(StepKind::store, lane(out), TilePlan::Operand::slot, slot_of(out));
}

TilePlan Planner::make() {
  if (width_ == 0) width_ = 4;
  plan_.lane = integers_of(width_);
  find_stored();
  for (size_t i = plan_.first; i < plan_.end; ++i) {
    for (size_t k = 0; k < code(i).args.size(); ++k) {
      const int reg = code(i).args[k];
      if (inside(reg) || slots_.count(reg) != 0) continue;
      if (single(reg)) {
        plan_.singles.push_back({reg, lane(reg), slot_of(reg)});
        continue;
      }
      if (std::find(plan_.columns.begin(), plan_.columns.end(), reg) == plan_.columns.end())
        plan_.columns.push_back(reg);
      // Beside a tile, entries have its width.
      const bool loaded = k == 0 && from_tile(i) < 0;
      if (!is_narrow(type(reg).dtype) || loaded) continue;
      load(reg);
      add(StepKind::store, lane(reg), TilePlan::Operand::slot, slot_of(reg));
    }
  }
  for (size_t i = plan_.first; i < plan_.end; ++i) emit(i);
  add(StepKind::end, plan_.lane);
  return std::move(plan_);
}

}  // namespace

void plan_tiles(Program& program) {
  for (size_t i = 0; i + 1 < program.code.size();) {
    Planner planner(program, i);
    if (planner.end() < i + 2) {
      ++i;
      continue;
    }
    i = planner.end();
    TilePlan plan = planner.make();
    program.code[plan.first].tile_plan = static_cast<int>(program.tile_plans.size());
    program.tile_plans.push_back(std::move(plan));
  }
}

}  // namespace weir
