// Program: a compiled lambda body or branch: a register machine over blocks, without jumps. Registers are
// components: of the input, constants, variables of enclosing scopes, or results of instructions.
#pragma once

#include <memory>
#include <vector>

#include "dataset/dataset.h"
#include "expr/run/terminal_runner.h"
#include "expr/run/tile_plan.h"
#include "expr/types/call_place.h"
#include "expr/types/function.h"
#include "expr/types/kernel.h"

namespace weir {

struct Register {
  enum class Source : uint8_t { input, constant, env, computed };

  Component type = {};
  Source source = Source::computed;
  // Input: the component. Env: the slot.
  int index = 0;
  int level = 0;
  Tensor constant = {};
  // Computed: the instruction that does it.
  int instruction = -1;
};

struct Program;

struct Instruction {
  enum class Kind : uint8_t {
    kernel,    // args -> results, through `body`
    branch,    // args[0] chooses; then_args and else_args are the inputs of the two programs
    dataset,   // args are captured; one result
    terminal,  // args are captured; results are the terminal's value
    function,  // args -> results, through the host's function
    rows,      // the first `row_args` args are taken apart by their rows -> results, through `function`
  };

  Kind kind = Kind::kernel;
  std::vector<int> args = {};
  std::vector<int> results = {};
  bool can_fail = false;
  // Draws or drains: computed for every row even if the arguments are the same for all.
  bool per_row = false;
  // Some instruction that can fail depends on it; set when the program is finished.
  bool needed = false;

  KernelBody body = nullptr;
  // See KernelCall::entry_body(); only for numbers.
  bool by_entries = false;
  // So is the next instruction; set when the program is finished.
  bool begins_chain = false;
  // Kernel::step, if it computes entry by entry.
  StepKind step = StepKind::none;
  // The plan that begins with it, by its index in the program; -1 if there is none.
  int tile_plan = -1;
  // The last instruction that uses a result, INT_MAX if it is a result of the program.
  int last_use = -1;
  // Null where the notation has no call.
  std::unique_ptr<const CallPlace> place = {};
  std::shared_ptr<const KernelState> state = {};
  // The call site, for terminals and kernels that draw.
  uint64_t site = 0;
  RefPtr<const SeedSite> seed = {};
  // The last arguments, unseen by the kernel, are a seed that differs between rows: one number or a pair.
  int seed_args = 0;

  std::unique_ptr<Program> then_program = {};
  std::unique_ptr<Program> else_program = {};
  std::vector<int> then_args = {};
  std::vector<int> else_args = {};

  DatasetRef dataset = {};
  // Of a dataset or terminal: which args are used, not only captured.
  std::vector<bool> uses = {};
  // How many Envs further up the dataset's scope is, if it captures nothing; -1 if it has its own Env.
  int shared_env_level = -1;
  RefPtr<const TerminalRunner> terminal = {};
  RefPtr<const Function> function = {};
  int row_args = 0;
  // What `function` runs, which keeps it.
  const Program* row_program = nullptr;
};

struct Program {
  int inputs = 0;
  std::vector<Register> registers;
  std::vector<Instruction> code;
  std::vector<int> results;
  bool can_fail = false;
  std::vector<TilePlan> tile_plans;
};

}  // namespace weir
