// Calls of functions: finds the kernel and matches arguments with parameters.
#include <array>

#include "core/seed.h"
#include "core/text.h"
#include "expr/compile/bound_call.h"
#include "expr/compile/function_arguments.h"
#include "syntax/grammar.h"
#include "syntax/hints.h"
#include "syntax/lexer.h"

namespace weir {

using syntax::Kind;
using syntax::Node;

Result<Typed> Compiler::call(const Node& node, const Scope& scope) {
  if (context_.pipelines != nullptr && context_.pipelines->callee(syntax::CalleeKind::function, node.text) ==
                                           PipelineCompiler::Callee::source) {
    return nested(node, scope, false);
  }
  if (std::optional<DType> dtype = dtype_from_name(node.text)) {
    if (node.items.size() != 1 || (!node.items[0].name.empty() && node.items[0].name != "x")) {
      return error(node, concat(node.text, " takes one argument, as in ", node.text, "(x)"));
    }
    Node target{.kind = Kind::dtype, .dtype = *dtype, .span = node.span};
    return apply("cast", {&node.child(0), &target}, node, scope);
  }
  if (context_.pipelines != nullptr) {
    if (const CallbackRef own = context_.pipelines->function(node.text)) return user_call(own, node, scope);
  }
  const Kernel* kernel = find_kernel(node.text);
  if (kernel == nullptr || !is_identifier(node.text)) return unknown_function(node);
  WEIR_ASSIGN(Nodes given, arguments(*kernel, node));
  if (kernel->infer == nullptr) return rows(given, scope);
  return apply(*kernel, std::move(given), node, scope);
}

Result<Typed> Compiler::unknown_function(const Node& node) {
  std::vector<std::string> names;
  for (const Kernel* kernel : kernels()) {
    if (is_identifier(kernel->name) && !syntax::is_reserved(kernel->name)) names.emplace_back(kernel->name);
  }
  std::string elsewhere;
  if (context_.pipelines != nullptr) {
    if (context_.pipelines->callee(syntax::CalleeKind::transformation, node.text) !=
        PipelineCompiler::Callee::unknown) {
      return error(node, {concat("'", node.text, "' is not a function"),
                          concat("write it after a dataset, as in … | ", node.text, "(…)")});
    }
    for (std::string& name : context_.pipelines->names(syntax::CalleeKind::function))
      names.push_back(std::move(name));
    if (context_.pipelines->callback(node).ok()) {
      return error(node, {concat("there is no function '", node.text, "'"),
                          concat("a callback without a signature is written @", node.text, "(…)")});
    }
    elsewhere = context_.pipelines->elsewhere(syntax::CalleeKind::function);
  }
  return error(node, {concat("there is no function '", node.text, "'"),
                      syntax::hint_for(node.text, names, elsewhere)});
}

// The node of each parameter, null if left out.
Result<Compiler::Nodes> Compiler::arguments(const Kernel& kernel, const Node& node) {
  const FunctionArguments matched = match_arguments(kernel, node);
  if (matched.mistake) return error(*matched.where, *matched.mistake);
  Nodes out;
  for (const syntax::NodePtr& value : matched.values) out.push_back(value.get());
  return out;
}

Result<Typed> Compiler::apply(std::string_view kernel, Nodes arguments, const Node& node,
                              const Scope& scope) {
  const Kernel* found = find_kernel(kernel);
  if (found == nullptr) return error(node, concat("'", kernel, "' is not built into this library"));
  return apply(*found, std::move(arguments), node, scope);
}

Result<Typed> Compiler::apply(const Kernel& kernel, Nodes arguments, const Node& node, const Scope& scope) {
  BoundCall call(*this, kernel, node, scope);
  arguments.resize(kernel.params.size());
  WEIR_TRY(call.bind(arguments));
  if (kernel.blocks) traits_.lane = std::max(traits_.lane, Lane::blocking);
  traits_.draws_random = traits_.draws_random || kernel.draws;
  return call.finish(builder(scope), kernel.draws ? next_site() : 0);
}

Result<Leaf> Compiler::seed_number(const Node& node, const Scope& scope) {
  const Mistake expected = "expected a seed: none, an integer, or a pair of integers";
  if (node.kind == Kind::none || node.kind == Kind::automatic || node.kind == Kind::tuple)
    return error(node, expected);
  // Seeds are 64 bits; the upper half of uint64 stands for negative numbers.
  if (const std::optional<Literal> literal = number_literal(node)) {
    if (literal->floating || literal->numbers.size() != 1) return error(node, expected);
    const auto& number = literal->numbers[0];
    const uint64_t bits = number.negative ? 0 - number.integer : number.integer;
    return typed_constant(Tensor::scalar<int64_t>(static_cast<int64_t>(bits))).leaves[0];
  }
  WEIR_ASSIGN(Typed value, expression(node, scope));
  if (value.is_literal()) {
    WEIR_TRY(resolve_as(value.leaves[0], DType::int64, node));
    value.spec.dtype = DType::int64;
  }
  check_scalar(value, scope);
  if (!value.is_tensor() || !is_integer(value.spec.dtype) || !(value.spec.shape == Shape())) {
    return error(node, expected_found("an integer as the seed", value.spec.to_string()));
  }
  if (value.spec.dtype == DType::int64) return value.leaves[0];
  const Node to{.kind = Kind::dtype, .dtype = DType::int64, .span = node.span};
  WEIR_ASSIGN(value, apply("cast", {&node, &to}, node, scope));
  return value.leaves[0];
}

// none, n or (a, b), as the notation defines them; (0, 0) and none are drawn.
Result<Compiler::Seed> Compiler::seed(const Node& node, const Scope& scope) {
  Seed out;
  const bool is_pair = node.kind == Kind::tuple && node.items.size() == 2;
  if (node.kind != Kind::none) {
    WEIR_ASSIGN(Leaf first, seed_number(is_pair ? node.child(0) : node, scope));
    out.numbers.push_back(std::move(first));
  }
  if (is_pair) {
    WEIR_ASSIGN(Leaf second, seed_number(node.child(1), scope));
    out.numbers.push_back(std::move(second));
  }
  SeedSite::Pair pair;
  if (!out.numbers.empty()) {
    std::array<int64_t, 2> known{};
    for (size_t i = 0; i < out.numbers.size(); ++i) {
      if (!out.numbers[i].constant) return out;
      known[i] = *out.numbers[i].constant->as<int64_t>();
    }
    if (!is_pair) {
      pair = pair_of_op_seed(known[0]);
    } else {
      pair = {static_cast<uint64_t>(known[0]), static_cast<uint64_t>(known[1])};
    }
    out.numbers.clear();
    if (!is_pair || pair != SeedSite::Pair()) {
      ++traits_.sites.draws;
      out.site = make_ref<const SeedSite>(pair);
      return out;
    }
  }
  if (context_.runtime != nullptr && context_.runtime->random != nullptr) {
    pair.first = context_.runtime->random->draw();
    pair.second = context_.runtime->random->draw();
  }
  out.site = make_ref<const SeedSite>(pair, SeedSite::Origin::drawn);
  ++traits_.sites.draws;
  traits_.sites.seeds.push_back(out.site);
  return out;
}

std::unique_ptr<const CallPlace> Compiler::place_of(const Node& node, std::string_view name) const {
  if (context_.source == nullptr) return nullptr;
  return std::make_unique<const CallPlace>(CallPlace{std::string(name), context_.source, node.span.offset});
}

uint64_t Compiler::next_site() {
  // FNV-1a of the path.
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : next_path()) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

namespace {

bool computes_only(const Program& program, bool may_have_inputs) {
  for (const Register& reg : program.registers) {
    if (reg.source == Register::Source::env) return false;
    if (reg.source == Register::Source::input && !may_have_inputs) return false;
  }
  for (const Instruction& instruction : program.code) {
    if (instruction.per_row) return false;
    if (instruction.kind == Instruction::Kind::kernel) continue;
    if (instruction.kind != Instruction::Kind::branch) return false;
    if (!computes_only(*instruction.then_program, true)) return false;
    if (!computes_only(*instruction.else_program, true)) return false;
  }
  return true;
}

}  // namespace

bool is_constant(const Program& program) { return computes_only(program, false); }

Result<std::vector<Tensor>> run_constant(const Program& program) {
  constexpr int64_t kFoldedBytes = 1 << 20;
  Frame frame(program);
  evaluate(program, frame, {.tensor_bytes = kFoldedBytes}, 1, false);
  if (frame.error_count > 0) return Status(frame.errors[0]);
  std::vector<Tensor> out;
  for (int reg : program.results) out.push_back(deep_copy(frame.slots[static_cast<size_t>(reg)].row(0)));
  return out;
}

Result<std::vector<Tensor>> fold(KernelBody body, std::shared_ptr<const KernelState> state,
                                 const std::vector<Leaf>& args, const std::vector<Component>& results) {
  Program program;
  Instruction instruction;
  instruction.body = body;
  instruction.state = std::move(state);
  for (const Leaf& leaf : args) {
    instruction.args.push_back(static_cast<int>(program.registers.size()));
    program.registers.push_back(
        {.type = leaf.type, .source = Register::Source::constant, .constant = *leaf.constant});
  }
  for (const Component& type : results) {
    program.results.push_back(static_cast<int>(program.registers.size()));
    instruction.results.push_back(program.results.back());
    program.registers.push_back({.type = type, .instruction = 0});
  }
  program.code.push_back(std::move(instruction));
  return run_constant(program);
}

}  // namespace weir
