#include "expr/run/evaluate.h"

#include <algorithm>
#include <cstring>

#include "core/float_mode.h"
#include "core/text.h"
#include "dataset/stage.h"
#include "expr/run/apply.h"
#include "expr/run/chain.h"
#include "expr/run/owners.h"
#include "expr/run/run.h"
#include "expr/run/tile_run.h"

namespace weir {

namespace {

// Captured strings up to this size are copied, so that they don't hold their block's memory.
constexpr size_t kSmallString = 256;

// One evaluation of one program.
class Evaluation {
 public:
  Evaluation(const Program& program, Frame& frame, const Call& call, int rows)
      : program_(program), frame_(frame), call_(call), rows_(rows) {}

  void set_destinations(std::span<const Destination> destinations) { destinations_ = destinations; }
  void execute(bool drop);

 private:
  Slot& slot(int reg) { return frame_.slots[static_cast<size_t>(reg)]; }
  Column* destination(int reg) const {
    for (const Destination& destination : destinations_) {
      if (destination.reg == reg) return destination.column;
    }
    return nullptr;
  }
  void bind_env();
  size_t run_together(size_t first);
  bool all_uniform(const Instruction& instruction);

  void kernel(const Instruction& instruction, Frame::Work& work);
  void run(const Instruction& instruction, Frame::Work& work, int first, int count, int rows);
  void run_pieces(const Instruction& instruction, Frame::Work& work);
  int piece_end(const Instruction& instruction, int first);

  void branch(const Instruction& instruction, Frame::Work& work, bool drop);
  void run_side(const Program& program, Frame& frame, const std::vector<int>& args,
                std::span<const int32_t> rows, bool drop);
  void take_side(const Instruction& instruction, const Program& program, Frame& frame);
  void merge(const Instruction& instruction, Frame::Work& work);
  void merge_result(size_t i, const Instruction& instruction, Frame::Work& work);

  EnvRef capture(const Instruction& instruction, int row);
  void dataset(const Instruction& instruction, Frame::Work& work);
  void terminal(const Instruction& instruction, Frame::Work& work);

  const Program& program_;
  Frame& frame_;
  const Call& call_;
  const int rows_;
  std::span<const Destination> destinations_;
};

void Evaluation::bind_env() {
  for (size_t i = 0; i < program_.registers.size(); ++i) {
    const Register& reg = program_.registers[i];
    if (reg.source != Register::Source::env) continue;
    frame_.slots[i].borrow(call_.env->up(reg.level).values[static_cast<size_t>(reg.index)]);
  }
}

void Evaluation::execute(bool drop) {
  bind_env();
  for (size_t i = 0; i < program_.code.size(); ++i) {
    const Instruction& instruction = program_.code[i];
    if (drop && !instruction.can_fail && !instruction.needed) continue;
    if (instruction.begins_chain && !drop && frame_.errors.empty()) {
      if (const size_t end = run_together(i); end > i) {
        i = end - 1;
        continue;
      }
    }
    Frame::Work& work = frame_.work[i];
    switch (instruction.kind) {
      case Instruction::Kind::kernel:
        kernel(instruction, work);
        break;
      case Instruction::Kind::branch:
        branch(instruction, work, drop && !instruction.needed);
        break;
      case Instruction::Kind::dataset:
        dataset(instruction, work);
        break;
      case Instruction::Kind::terminal:
        terminal(instruction, work);
        break;
      case Instruction::Kind::function:
        apply_function(program_, frame_, call_, instruction, work, rows_);
        break;
      case Instruction::Kind::rows:
        apply_to_rows(program_, frame_, call_, instruction, work, rows_, drop && !instruction.needed);
        break;
    }
    if (frame_.errors.empty()) continue;
    for (int row = 0; row < rows_; ++row) {
      if (!frame_.failed(row)) continue;
      for (int result : instruction.results) slot(result).clear_row(row);
    }
  }
}

// Runs the instructions from `first` on that can be computed together: as tiles, else in pieces. Returns one
// past the last one, or `first` if there are none.
size_t Evaluation::run_together(size_t first) {
  const auto destinations = [&](int reg) { return destination(reg); };
  if (const int plan = program_.code[first].tile_plan; plan >= 0) {
    TileRun run(program_, program_.tile_plans[static_cast<size_t>(plan)], frame_, rows_, call_);
    if (run.fits()) {
      run.run(destinations);
      return program_.tile_plans[static_cast<size_t>(plan)].end;
    }
  }
  Chain chain(program_, frame_, first, rows_, call_);
  if (chain.end() > first) chain.run(destinations);
  return chain.end();
}

bool Evaluation::all_uniform(const Instruction& instruction) {
  if (instruction.per_row) return false;
  for (int arg : instruction.args) {
    if (!slot(arg).uniform) return false;
  }
  return true;
}

void Evaluation::kernel(const Instruction& instruction, Frame::Work& work) {
  const bool uniform = all_uniform(instruction) && rows_ > 0;
  const int rows = uniform ? 1 : rows_;
  for (int result : instruction.results) {
    slot(result).begin(program_.registers[static_cast<size_t>(result)].type.dtype, rows,
                       uniform ? nullptr : destination(result), uniform ? nullptr : call_.room);
  }
  if (frame_.error_count == rows_) return;
  // Not around the whole evaluation, since a terminal may call the host.
  FloatMode mode;
  if (uniform) {
    run(instruction, work, 0, 1, 1);
    for (int result : instruction.results) {
      slot(result).uniform = true;
      slot(result).view.stride = 0;
    }
    return;
  }
  bool whole = frame_.errors.empty() && instruction.seed_args == 0;
  for (int arg : instruction.args) whole = whole && slot(arg).form != Slot::Form::list;
  if (whole) {
    run(instruction, work, 0, rows_, rows_);
  } else {
    run_pieces(instruction, work);
  }
}

void Evaluation::run(const Instruction& instruction, Frame::Work& work, int first, int count, int rows) {
  Arg* args = frame_.args.data();
  for (size_t i = 0; i < instruction.args.size(); ++i) {
    const Slot& from = slot(instruction.args[i]);
    if (from.form == Slot::Form::list) {
      const Tensor& tensor = (*from.list)[static_cast<size_t>(first)];
      args[i] = {tensor.dtype, tensor.shape, tensor.data, static_cast<int64_t>(tensor.byte_size())};
    } else {
      args[i] = from.view;
      args[i].data += first * from.view.stride;
    }
  }
  Run piece(instruction, frame_, work, call_, first, count, rows, rows_);
  instruction.body(piece);
}

// Returns one past the last row that can run together with row `first`.
int Evaluation::piece_end(const Instruction& instruction, int first) {
  int end = first + 1;
  if (instruction.seed_args > 0) return end;
  for (int arg : instruction.args) {
    if (slot(arg).form == Slot::Form::list) return end;
  }
  while (end < rows_ && !frame_.failed(end)) ++end;
  return end;
}

void Evaluation::run_pieces(const Instruction& instruction, Frame::Work& work) {
  for (int first = 0; first < rows_;) {
    if (frame_.failed(first)) {
      ++first;
      continue;
    }
    const int end = piece_end(instruction, first);
    run(instruction, work, first, end - first, rows_);
    first = end;
  }
}

// Runs one side of a branch over the rows listed, or over all if the list is empty.
void Evaluation::run_side(const Program& program, Frame& frame, const std::vector<int>& args,
                          std::span<const int32_t> rows, bool drop) {
  frame.errors.clear();
  frame.error_count = 0;
  frame.read.clear();
  for (size_t i = 0; i < program.registers.size(); ++i) {
    const Register& reg = program.registers[i];
    if (reg.source != Register::Source::input) continue;
    const Slot& from = slot(args[static_cast<size_t>(reg.index)]);
    if (rows.empty() || from.uniform) {
      frame.slots[i].borrow(from);
    } else {
      frame.slots[i].gather(from, reg.type.dtype, rows, call_.room);
    }
  }
  const int count = rows.empty() ? rows_ : static_cast<int>(rows.size());
  Call call = call_;
  std::vector<int32_t> ordinals;
  if (!rows.empty() && call_.selection != nullptr) {
    for (int32_t row : rows) ordinals.push_back(call_.selection[row]);
    call.selection = ordinals.data();
  } else if (!rows.empty()) {
    call.selection = rows.data();
  }
  evaluate(program, frame, call, count, drop);
  for (size_t i = 0; i < frame.read.size(); ++i)
    frame_.read_from(rows.empty() ? static_cast<int>(i) : rows[i], rows_, frame.read[i]);
  for (size_t i = 0; i < frame.errors.size(); ++i) {
    if (frame.errors[i]) frame_.fail(rows.empty() ? static_cast<int>(i) : rows[i], rows_, frame.errors[i]);
  }
}

void Evaluation::branch(const Instruction& instruction, Frame::Work& work, bool drop) {
  const Slot& condition = slot(instruction.args[0]);
  const Program& yes = *instruction.then_program;
  const Program& no = *instruction.else_program;
  work.then_rows.clear();
  work.else_rows.clear();
  if (!condition.uniform) {
    for (int row = 0; row < rows_; ++row) {
      if (frame_.failed(row)) continue;
      (*condition.entry<bool>(row) ? work.then_rows : work.else_rows).push_back(row);
    }
  }
  const bool all_rows = frame_.errors.empty();
  const bool all_yes = condition.uniform ? *condition.entry<bool>(0) : all_rows && work.else_rows.empty();
  const bool all_no = condition.uniform ? !all_yes : all_rows && work.then_rows.empty() && !all_yes;
  if ((all_yes || all_no) && all_rows) {
    const Program& program = all_yes ? yes : no;
    Frame& frame = all_yes ? *work.then_frame : *work.else_frame;
    run_side(program, frame, all_yes ? instruction.then_args : instruction.else_args, {}, drop);
    if (!drop) take_side(instruction, program, frame);
    return;
  }
  if (condition.uniform) {
    for (int row = 0; row < rows_; ++row) {
      if (!frame_.failed(row)) (all_yes ? work.then_rows : work.else_rows).push_back(row);
    }
  }
  if (!work.then_rows.empty()) run_side(yes, *work.then_frame, instruction.then_args, work.then_rows, drop);
  if (!work.else_rows.empty()) run_side(no, *work.else_frame, instruction.else_args, work.else_rows, drop);
  if (!drop) merge(instruction, work);
}

// All rows took one side, so its results are the results.
void Evaluation::take_side(const Instruction& instruction, const Program& program, Frame& frame) {
  for (size_t i = 0; i < instruction.results.size(); ++i) {
    slot(instruction.results[i]).borrow(frame.slots[static_cast<size_t>(program.results[i])]);
  }
}

void Evaluation::merge(const Instruction& instruction, Frame::Work& work) {
  for (size_t i = 0; i < instruction.results.size(); ++i) merge_result(i, instruction, work);
}

void Evaluation::merge_result(size_t i, const Instruction& instruction, Frame::Work& work) {
  const int reg = instruction.results[i];
  Slot& out = slot(reg);
  out.begin(program_.registers[static_cast<size_t>(reg)].type.dtype, rows_, destination(reg), call_.room);
  const Slot& yes = work.then_frame->slots[static_cast<size_t>(instruction.then_program->results[i])];
  const Slot& no = work.else_frame->slots[static_cast<size_t>(instruction.else_program->results[i])];
  size_t in_yes = 0;
  size_t in_no = 0;
  for (int row = 0; row < rows_; ++row) {
    const Slot* from = nullptr;
    size_t at = 0;
    if (in_yes < work.then_rows.size() && work.then_rows[in_yes] == row) {
      from = &yes;
      at = in_yes++;
    } else if (in_no < work.else_rows.size() && work.else_rows[in_no] == row) {
      from = &no;
      at = in_no++;
    }
    if (from != nullptr && !frame_.failed(row)) out.copy_row(row, *from, static_cast<int>(at));
  }
}

// Captures the variables of one row as the Env of a dataset that it makes.
EnvRef Evaluation::capture(const Instruction& instruction, int row) {
  Components values;
  values.reserve(instruction.args.size());
  for (int arg : instruction.args) {
    Tensor value = slot(arg).row(row);
    if (!copy_if_small(value) && has_owners(value.dtype)) {
      value.owners = make_ref<Owners>();
      collect_owners(program_, frame_, arg, value.owners->list);
    }
    values.push_back(std::move(value));
  }
  return make_ref<const Env>(EnvRef(call_.env), std::move(values));
}

void Evaluation::dataset(const Instruction& instruction, Frame::Work& work) {
  Slot& out = slot(instruction.results[0]);
  const bool uniform = all_uniform(instruction) && rows_ > 0;
  const int rows = uniform ? 1 : rows_;
  out.begin(DType::dataset, rows, uniform ? nullptr : destination(instruction.results[0]), nullptr);
  auto* entries = reinterpret_cast<const NestedDataset**>(out.make(0, rows, Shape()));
  for (int row = 0; row < rows; ++row) {
    if (!uniform && frame_.failed(row)) {
      entries[row] = nullptr;
      continue;
    }
    EnvRef env;
    if (instruction.shared_env_level < 0) {
      env = capture(instruction, row);
    } else if (call_.env != nullptr) {
      env = EnvRef(call_.env->outward(instruction.shared_env_level));
    }
    auto made = make_ref<NestedDataset>(instruction.dataset, std::move(env));
    entries[row] = made.get();
    work.kept.push_back(std::move(made));
  }
  if (!uniform) return;
  out.uniform = true;
  out.view.stride = 0;
}

void Evaluation::terminal(const Instruction& instruction, Frame::Work& work) {
  for (int result : instruction.results) {
    slot(result).begin(program_.registers[static_cast<size_t>(result)].type.dtype, rows_, destination(result),
                       call_.room);
  }
  const uint64_t key = derive_key(call_.key, instruction.site);
  Components values;
  for (int row = 0; row < rows_; ++row) {
    if (frame_.failed(row)) continue;
    values.clear();
    const uint64_t row_key = derive_key(key, static_cast<uint64_t>(call_.ordinal(row)));
    Status status = instruction.terminal->run(*call_.session, capture(instruction, row), row_key, values);
    if (!status.ok()) {
      frame_.fail(row, rows_, status.pointer());
      continue;
    }
    for (size_t i = 0; i < instruction.results.size(); ++i) {
      const Tensor& value = values[i];
      uint8_t* to = slot(instruction.results[i]).make_row(row, value.shape);
      if (value.byte_size() > 0) std::memcpy(to, value.data, value.byte_size());
      if (!has_owners(value.dtype)) continue;
      work.kept.push_back(value.buffer);
      if (value.owners)
        work.kept.insert(work.kept.end(), value.owners->list.begin(), value.owners->list.end());
    }
  }
}

}  // namespace

bool copy_if_small(Tensor& value) {
  const bool string = value.dtype == DType::string && value.shape.rank() == 0;
  if (string && value.as<const Str>()->size <= kSmallString) {
    value = Tensor::string(value.as<const Str>()->view());
    return true;
  }
  if (has_owners(value.dtype) || value.byte_size() > kAlignment) return false;
  value = deep_copy(value);
  return true;
}

void evaluate(const Program& program, Frame& frame, const Call& call, int rows, bool drop,
              std::span<const Destination> destinations) {
  Evaluation evaluation(program, frame, call, rows);
  evaluation.set_destinations(destinations);
  evaluation.execute(drop);
}

void release(const Program& program, Frame& frame) {
  for (size_t i = 0; i < program.registers.size(); ++i) {
    if (program.registers[i].source != Register::Source::constant) frame.slots[i].release();
  }
  for (Frame::Work& work : frame.work) {
    work.bytes.reset();
    work.kept.clear();
    work.made.reset();
  }
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (program.code[i].kind != Instruction::Kind::branch) continue;
    release(*program.code[i].then_program, *frame.work[i].then_frame);
    release(*program.code[i].else_program, *frame.work[i].else_frame);
  }
  frame.errors.clear();
  frame.error_count = 0;
  frame.read.clear();
}

}  // namespace weir
