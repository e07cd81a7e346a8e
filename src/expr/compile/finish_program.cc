#include "expr/compile/finish_program.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "expr/compile/plan_tiles.h"
#include "expr/types/partial_state.h"

namespace weir {

namespace {

template <class F>
void each_argument(const Instruction& instruction, F f) {
  for (int arg : instruction.args) f(static_cast<size_t>(arg));
  for (int arg : instruction.then_args) f(static_cast<size_t>(arg));
  for (int arg : instruction.else_args) f(static_cast<size_t>(arg));
}

// Tells a call of several results which of them are used.
void leave_out_results(Instruction& instruction, const std::vector<bool>& live) {
  std::vector<bool> used;
  for (int result : instruction.results) used.push_back(live[static_cast<size_t>(result)]);
  if (std::find(used.begin(), used.end(), false) == used.end()) return;
  const auto* partial = dynamic_cast<const PartialState*>(instruction.state.get());
  if (partial == nullptr) return;
  if (auto state = partial->for_results(used)) instruction.state = std::move(state);
}

// Takes from a branch's program the inputs that no code of it uses, and from `args` what it was given for
// them.
void leave_out_inputs(Program& program, std::vector<int>& args) {
  std::vector<bool> used(program.registers.size());
  for (int result : program.results) used[static_cast<size_t>(result)] = true;
  for (const Instruction& instruction : program.code)
    each_argument(instruction, [&](size_t arg) { used[arg] = true; });
  std::vector<bool> stays(args.size());
  for (size_t i = 0; i < used.size(); ++i) {
    Register& reg = program.registers[i];
    if (reg.source != Register::Source::input) continue;
    if (used[i]) {
      stays[static_cast<size_t>(reg.index)] = true;
    } else {
      // Like those of dead code.
      reg.source = Register::Source::computed;
    }
  }
  std::vector<int> kept;
  std::vector<int> places;
  for (size_t i = 0; i < args.size(); ++i) {
    places.push_back(static_cast<int>(kept.size()));
    if (stays[i]) kept.push_back(args[i]);
  }
  for (Register& reg : program.registers) {
    if (reg.source == Register::Source::input) reg.index = places[static_cast<size_t>(reg.index)];
  }
  args = std::move(kept);
  program.inputs = static_cast<int>(args.size());
}

// Leaves a branch the results that are used, and the arguments that its sides need for them.
void narrow_branch(Instruction& branch, const std::vector<bool>& live) {
  const std::vector<int> results = std::exchange(branch.results, {});
  for (int result : results) {
    if (live[static_cast<size_t>(result)]) branch.results.push_back(result);
  }
  const auto narrow = [&](Program& side, std::vector<int>& args) {
    if (branch.results.size() < results.size()) {
      const std::vector<int> all = std::exchange(side.results, {});
      for (size_t i = 0; i < results.size(); ++i) {
        if (live[static_cast<size_t>(results[i])]) side.results.push_back(all[i]);
      }
      finish_program(side);
    }
    leave_out_inputs(side, args);
  };
  narrow(*branch.then_program, branch.then_args);
  narrow(*branch.else_program, branch.else_args);
}

// Finds, from the last instruction to the first, which are used at all and which feed one that can fail.
std::vector<bool> mark(Program& program) {
  program.can_fail = false;
  std::vector<bool> live(program.registers.size());
  std::vector<bool> needed(program.registers.size());
  std::vector<bool> keep(program.code.size());
  for (int result : program.results) live[static_cast<size_t>(result)] = true;
  for (size_t i = program.code.size(); i-- > 0;) {
    Instruction& instruction = program.code[i];
    keep[i] = instruction.can_fail;
    instruction.needed = false;
    for (int result : instruction.results) {
      keep[i] = keep[i] || live[static_cast<size_t>(result)];
      instruction.needed = instruction.needed || needed[static_cast<size_t>(result)];
    }
    if (!keep[i]) continue;
    if (instruction.kind == Instruction::Kind::branch) {
      narrow_branch(instruction, live);
    } else {
      leave_out_results(instruction, live);
    }
    const bool feeds = instruction.can_fail || instruction.needed;
    each_argument(instruction, [&](size_t arg) {
      live[arg] = true;
      if (feeds) needed[arg] = true;
    });
    program.can_fail = program.can_fail || instruction.can_fail;
  }
  return keep;
}

// Sets what the evaluation needs to run several instructions together.
void link(Program& program) {
  const auto numbers = [&](const std::vector<int>& registers) {
    return std::none_of(registers.begin(), registers.end(), [&](int reg) {
      return has_owners(program.registers[static_cast<size_t>(reg)].type.dtype);
    });
  };
  std::vector<int> last_use(program.registers.size(), -1);
  program.tile_plans.clear();
  for (size_t i = 0; i < program.code.size(); ++i) {
    Instruction& instruction = program.code[i];
    instruction.by_entries = instruction.by_entries && instruction.results.size() == 1 &&
                             numbers(instruction.args) && numbers(instruction.results);
    instruction.begins_chain = false;
    instruction.tile_plan = instruction.last_use = -1;
    if (i > 0) program.code[i - 1].begins_chain = program.code[i - 1].by_entries && instruction.by_entries;
    each_argument(instruction, [&](size_t arg) { last_use[arg] = static_cast<int>(i); });
  }
  for (int result : program.results) last_use[static_cast<size_t>(result)] = INT_MAX;
  for (Instruction& instruction : program.code) {
    for (int result : instruction.results)
      instruction.last_use = std::max(instruction.last_use, last_use[static_cast<size_t>(result)]);
  }
  plan_tiles(program);
}

}  // namespace

void finish_program(Program& program) {
  const std::vector<bool> keep = mark(program);
  std::vector<Instruction> code;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    for (int result : program.code[i].results) {
      program.registers[static_cast<size_t>(result)].instruction = static_cast<int>(code.size());
    }
    code.push_back(std::move(program.code[i]));
  }
  program.code = std::move(code);
  link(program);
}

}  // namespace weir
