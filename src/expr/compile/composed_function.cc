#include "expr/compile/composed_function.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "expr/compile/finish_program.h"
#include "expr/run/compiled.h"

namespace weir {

namespace {

// Longer ones stay apart, which costs them little.
constexpr size_t kMostInstructions = 256;

// Instructions that only compute: nothing is opened, and nothing of the host called.
bool only_computes(const Program& program) {
  return std::all_of(program.code.begin(), program.code.end(), [](const Instruction& instruction) {
    if (instruction.kind == Instruction::Kind::branch)
      return only_computes(*instruction.then_program) && only_computes(*instruction.else_program);
    if (instruction.kind == Instruction::Kind::rows) return weir::only_computes(*instruction.function);
    return instruction.kind == Instruction::Kind::kernel;
  });
}

bool has_datasets(const Program& program) {
  return std::any_of(program.registers.begin(), program.registers.end(),
                     [](const Register& reg) { return reg.type.dtype == DType::dataset; });
}

const CompiledFunction* computing(const Function& function) {
  const auto* compiled = dynamic_cast<const CompiledFunction*>(&function);
  if (!compiled || function.lane() != Lane::compute || !function.not_replayable().empty()) return nullptr;
  const Program& program = compiled->program();
  if (program.code.size() > kMostInstructions || has_datasets(program) || !only_computes(program))
    return nullptr;
  return compiled;
}

Program copy_of(const Program& program);

Instruction copy_of(const Instruction& from) {
  Instruction out;
  out.kind = from.kind;
  out.args = from.args;
  out.results = from.results;
  out.can_fail = from.can_fail;
  out.per_row = from.per_row;
  out.body = from.body;
  out.by_entries = from.by_entries;
  out.step = from.step;
  if (from.place) out.place = std::make_unique<const CallPlace>(*from.place);
  out.state = from.state;
  out.site = from.site;
  out.seed = from.seed;
  out.seed_args = from.seed_args;
  if (from.then_program) out.then_program = std::make_unique<Program>(copy_of(*from.then_program));
  if (from.else_program) out.else_program = std::make_unique<Program>(copy_of(*from.else_program));
  out.function = from.function;
  out.row_args = from.row_args;
  out.row_program = from.row_program;
  out.then_args = from.then_args;
  out.else_args = from.else_args;
  out.dataset = from.dataset;
  out.uses = from.uses;
  out.shared_env_level = from.shared_env_level;
  out.terminal = from.terminal;
  return out;
}

Program unfinished_copy(const Program& program) {
  Program out;
  out.inputs = program.inputs;
  out.registers = program.registers;
  for (const Instruction& instruction : program.code) out.code.push_back(copy_of(instruction));
  out.results = program.results;
  return out;
}

Program copy_of(const Program& program) {
  Program out = unfinished_copy(program);
  finish_program(out);
  return out;
}

// The same with some of the results, and the code that these need.
Program with_results(const Program& program, const std::vector<bool>& results) {
  Program out = unfinished_copy(program);
  out.results.clear();
  for (size_t i = 0; i < program.results.size(); ++i) {
    if (results[i]) out.results.push_back(program.results[i]);
  }
  finish_program(out);
  return out;
}

// Appends the code of `more`, whose inputs are the registers `inputs` of `program`. Returns where its results
// are.
std::vector<int> append(Program& program, const Program& more, const std::vector<int>& inputs) {
  std::vector<int> moved;
  const auto first = static_cast<int>(program.code.size());
  for (const Register& reg : more.registers) {
    if (reg.source == Register::Source::input) {
      moved.push_back(inputs[static_cast<size_t>(reg.index)]);
      continue;
    }
    moved.push_back(static_cast<int>(program.registers.size()));
    program.registers.push_back(reg);
    if (reg.source == Register::Source::computed) program.registers.back().instruction += first;
  }
  const auto move_all = [&](std::vector<int>& registers) {
    for (int& reg : registers) reg = moved[static_cast<size_t>(reg)];
  };
  for (const Instruction& from : more.code) {
    Instruction instruction = copy_of(from);
    move_all(instruction.args);
    move_all(instruction.results);
    move_all(instruction.then_args);
    move_all(instruction.else_args);
    program.code.push_back(std::move(instruction));
  }
  std::vector<int> results = more.results;
  move_all(results);
  return results;
}

bool replace_dataset(Program& program, size_t result,
                     const std::function<DatasetRef(const DatasetRef&)>& other) {
  const int reg = program.results[result];
  if (program.registers[static_cast<size_t>(reg)].source != Register::Source::computed) return false;
  auto uses = std::count(program.results.begin(), program.results.end(), reg);
  for (const Instruction& instruction : program.code) {
    for (const std::vector<int>* args : {&instruction.args, &instruction.then_args, &instruction.else_args})
      uses += std::count(args->begin(), args->end(), reg);
  }
  if (uses != 1) return false;
  Instruction& made =
      program.code[static_cast<size_t>(program.registers[static_cast<size_t>(reg)].instruction)];
  if (made.kind == Instruction::Kind::dataset) {
    const DatasetRef before = std::exchange(made.dataset, other(made.dataset));
    return made.dataset != before;
  }
  if (made.kind != Instruction::Kind::branch) return false;
  const auto at =
      static_cast<size_t>(std::find(made.results.begin(), made.results.end(), reg) - made.results.begin());
  const bool then_changed = replace_dataset(*made.then_program, at, other);
  return replace_dataset(*made.else_program, at, other) || then_changed;
}

// The inputs that the results and the code of a program use.
std::vector<bool> needed_inputs(const Program& program) {
  std::vector<bool> needed(static_cast<size_t>(program.inputs));
  // All of them, or those in `which`.
  const auto need = [&](const std::vector<int>& registers, const std::vector<bool>& which = {}) {
    for (size_t i = 0; i < registers.size(); ++i) {
      const Register& source = program.registers[static_cast<size_t>(registers[i])];
      if (source.source == Register::Source::input && (which.empty() || which[i]))
        needed[static_cast<size_t>(source.index)] = true;
    }
  };
  need(program.results);
  for (const Instruction& instruction : program.code) {
    need(instruction.args, instruction.uses);
    if (instruction.kind != Instruction::Kind::branch) continue;
    need(instruction.then_args, needed_inputs(*instruction.then_program));
    need(instruction.else_args, needed_inputs(*instruction.else_program));
  }
  return needed;
}

ProgramTraits joined_traits(const Function& a, const Function& b) {
  ProgramTraits out;
  a.add_sites(out.sites);
  b.add_sites(out.sites);
  out.draws_random = a.draws_random() || b.draws_random();
  return out;
}

}  // namespace

Program with_inputs_first(const Program& program) {
  Program out;
  out.inputs = program.inputs;
  out.registers.resize(static_cast<size_t>(program.inputs));
  std::vector<int> places;
  for (const Register& reg : program.registers) {
    if (reg.source == Register::Source::input) out.registers[static_cast<size_t>(reg.index)] = reg;
  }
  for (int i = 0; i < program.inputs; ++i) places.push_back(i);
  out.results = append(out, program, places);
  finish_program(out);
  return out;
}

bool only_computes(const Function& function) { return computing(function) != nullptr; }

FunctionRef composed(const Function& inner, const Function& outer) {
  const CompiledFunction* first = computing(inner);
  const CompiledFunction* second = computing(outer);
  if (!first || !second || inner.can_fail()) return nullptr;
  if (first->program().code.size() + second->program().code.size() > kMostInstructions) return nullptr;
  Program program = copy_of(first->program());
  program.results = append(program, second->program(), program.results);
  finish_program(program);
  return FunctionRef(make_ref<const CompiledFunction>(inner.input(), outer.result(), std::move(program),
                                                      joined_traits(inner, outer)));
}

std::vector<bool> needed_components(const Function& function, const std::vector<bool>& results) {
  const auto* compiled = dynamic_cast<const CompiledFunction*>(&function);
  if (!compiled) return std::vector<bool>(function.input().components().size(), true);
  return needed_inputs(with_results(compiled->program(), results));
}

void add_needed(const Function& function, size_t first, std::vector<bool>& used) {
  const std::vector<bool> needed =
      needed_components(function, std::vector<bool>(function.components().size(), true));
  for (size_t i = 0; i < used.size(); ++i) used[i] = used[i] || needed[first + i];
}

FunctionRef with_result_dataset(const CompiledFunction& function,
                                const std::function<DatasetRef(const DatasetRef&)>& other) {
  Program program = unfinished_copy(function.program());
  if (program.results.size() != 1 || !replace_dataset(program, 0, other)) return nullptr;
  finish_program(program);
  ProgramTraits traits = {function.lane(), function.not_replayable(), {}, {}, function.draws_random()};
  function.add_sites(traits.sites);
  function.epoch_nodes(traits.epoch_nodes);
  return FunctionRef(make_ref<const CompiledFunction>(function.input(), function.result(), std::move(program),
                                                      std::move(traits)));
}

FunctionRef narrowed(const Function& function, const std::vector<bool>& inputs, Spec input,
                     const std::vector<bool>& results, Spec result) {
  const Program& whole = computing(function)->program();
  Program program;
  // Where each input is; no code that stays uses the others.
  std::vector<int> places(inputs.size(), -1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) continue;
    places[i] = program.inputs;
    program.registers.push_back(whole.registers[i]);
    program.registers.back().index = program.inputs++;
  }
  program.results = append(program, with_results(whole, results), places);
  finish_program(program);
  return FunctionRef(make_ref<const CompiledFunction>(std::move(input), std::move(result), std::move(program),
                                                      joined_traits(function, function)));
}

}  // namespace weir
