#include "expr/compile/compiler.h"

#include <map>

#include "core/text.h"

namespace weir {

using syntax::Kind;
using syntax::Node;
using syntax::Op;

Result<Typed> Compiler::expression(const Node& node, const Scope& scope) {
  switch (node.kind) {
    case Kind::integer:
    case Kind::floating:
      return typed_literal(*number_literal(node));
    case Kind::string:
      return typed_constant(Tensor::string(node.text));
    case Kind::boolean:
      return typed_constant(Tensor::scalar<bool>(node.integer != 0));
    case Kind::name:
      return name(node, scope);
    case Kind::parameter:
      return parameter(node, scope);
    case Kind::callback:
      return handed(node);
    case Kind::invocation:
      return invocation(node, scope);
    case Kind::list:
      return list(node, scope);
    case Kind::tuple:
    case Kind::dict:
      return tuple(node, scope);
    case Kind::unary:
    case Kind::binary:
      return operation(node, scope);
    case Kind::conditional:
      return conditional(node, scope);
    case Kind::let_in:
      return let_in(node, scope);
    case Kind::index:
      return index(node, scope);
    case Kind::field:
      return field(node, scope);
    case Kind::position:
      return position(node, scope);
    case Kind::call:
      return call(node, scope);
    case Kind::pipeline:
      return pipeline(node, scope);
    case Kind::automatic:
    case Kind::none:
      return error(node,
                   expected_found("a value", concat(node.kind == Kind::none ? "none" : "auto",
                                                    ", which stands only as an argument that allows it")));
    case Kind::lambda:
      return error(node, "expected a value, found a lambda, which stands only as an argument that takes one");
    default:
      return error(node, "expected a value");
  }
}

namespace {

// The members of a tuple or dict while they are typed.
class Members {
 public:
  int parts() const { return parts_; }

  void add(Typed member) {
    parts_ += member.spec.part_count();
    list_.push_back(std::move(member));
  }
  // A key that is there keeps its place and takes the new value.
  void set(const std::string& key, Typed member) {
    const auto found = places_.emplace(key, list_.size());
    if (found.second) {
      keys_.push_back(key);
      return add(std::move(member));
    }
    Typed& old = list_[found.first->second];
    parts_ += member.spec.part_count() - old.spec.part_count();
    old = std::move(member);
  }
  void set_all(const Typed& dict) {
    for (size_t i = 0; i < dict.spec.keys.size(); ++i)
      set(dict.spec.keys[i], dict.child(static_cast<int>(i)));
  }

  Typed join(Spec::Kind kind) && {
    Typed out;
    out.spec.kind = kind;
    out.spec.keys = std::move(keys_);
    for (Typed& member : list_) {
      out.spec.children.push_back(std::move(member.spec));
      out.leaves.insert(out.leaves.end(), member.leaves.begin(), member.leaves.end());
    }
    return out;
  }

 private:
  std::vector<Typed> list_;
  std::vector<std::string> keys_;
  std::map<std::string, size_t> places_;
  int parts_ = 1;
};

}  // namespace

Result<Typed> Compiler::tuple(const Node& node, const Scope& scope) {
  Members members;
  Status mistakes;
  for (const syntax::Item& item : node.items) {
    const bool spread = item.value->kind == Kind::spread;
    const Node& value = spread ? item.value->child(0) : *item.value;
    Result<Typed> made = expression(value, scope);
    if (made.ok() && spread && made->spec.kind != Spec::Kind::dict)
      made = error(value, expected_found("a dict to spread", made->spec.to_string()));
    mistakes = both(mistakes, made.status());
    if (!made.ok()) continue;
    if (spread) {
      members.set_all(*made);
    } else if (node.kind == Kind::dict) {
      members.set(item.name, *std::move(made));
    } else {
      members.add(*std::move(made));
    }
    // Checked before the remaining members make it much larger.
    if (members.parts() > kMaxParts) return error(node, too_many_parts());
  }
  if (!mistakes.ok()) return mistakes;
  return std::move(members).join(node.kind == Kind::dict ? Spec::Kind::dict : Spec::Kind::tuple);
}

// Makes a literal of a list of literals; stacks any other list.
Result<Typed> Compiler::list(const Node& node, const Scope& scope) {
  std::vector<LiteralRef> literals;
  size_t numbers = 0;
  for (const syntax::Item& item : node.items) {
    if (item.value->kind != Kind::name && item.value->kind != Kind::list && !syntax::is_literal(*item.value))
      break;
    WEIR_ASSIGN(Typed member, expression(*item.value, scope));
    if (!member.is_literal()) break;
    literals.push_back(member.leaves[0].literal);
    numbers += literals.back()->numbers.size();
    if (numbers > kMaxLiteralNumbers) {
      return error(node, expected_found(concat("a list of at most ", kMaxLiteralNumbers, " numbers"),
                                        "a longer one", "hand in a tensor, or read it from a file"));
    }
  }
  if (literals.size() == node.items.size()) {
    std::optional<Literal> literal = list_literal(literals);
    if (!literal) return error(node, "expected rows of one length, found rows that differ");
    return typed_literal(*std::move(literal));
  }
  return apply("[]", {&node}, node, scope);
}

Result<Typed> Compiler::operation(const Node& node, const Scope& scope) {
  if (std::optional<Literal> literal = number_literal(node)) return typed_literal(*std::move(literal));
  if (node.op == Op::negate) return apply("negative", {&node.child(0)}, node, scope);
  if (node.op == Op::logical_not) return apply("not", {&node.child(0)}, node, scope);
  return apply(syntax::op_text(node.op), {&node.child(0), &node.child(1)}, node, scope);
}

namespace {

const Node& last_call(const Node& pipeline) { return *pipeline.items.back().value; }

}  // namespace

bool Compiler::is_dataset(const Node& node, const Scope& scope) {
  if (node.kind == Kind::call || node.kind == Kind::pipeline) {
    if (context_.pipelines == nullptr) return false;
    using Callee = PipelineCompiler::Callee;
    if (node.kind == Kind::call)
      return context_.pipelines->callee(syntax::CalleeKind::function, node.text) == Callee::source;
    const Node& last = last_call(node);
    return context_.pipelines->callee(syntax::CalleeKind::transformation, last.text) != Callee::terminal;
  }
  if (node.kind == Kind::name && scope.find(node.text).kind == Scope::Found::Kind::dataset) return true;
  // Typed in a program that is discarded.
  Builder trial(
      builder(scope).kind() == Builder::Kind::program || builder(scope).kind() == Builder::Kind::branch
          ? Builder::Kind::branch
          : Builder::Kind::program,
      &builder(scope));
  Scope inner(scope, trial);
  Result<Typed> value = expression(node, inner);
  return value.ok() && value->spec.is_dataset();
}

Result<Typed> Compiler::pipeline(const Node& node, const Scope& scope) {
  const Node& last = last_call(node);
  const bool terminal = context_.pipelines != nullptr &&
                        context_.pipelines->callee(syntax::CalleeKind::transformation, last.text) ==
                            PipelineCompiler::Callee::terminal;
  return nested(node, scope, terminal);
}

namespace {}  // namespace

Typed emit_values(Instruction instruction, const Spec& spec, Builder& builder) {
  Typed out = typed_of(spec);
  std::vector<Component> results;
  for (const Leaf& leaf : out.leaves) results.push_back(leaf.type);
  out.leaves = builder.emit(std::move(instruction), results);
  return out;
}

// Compiles a pipeline: the variables that it uses are captured for each row.
Result<Typed> Compiler::nested(const Node& node, const Scope& scope, bool terminal) {
  if (context_.pipelines == nullptr) return error(node, "expected an expression without a pipeline");
  Builder& outer = builder(scope);
  Builder captured(Builder::Kind::capture, &outer);
  Scope inner(scope, captured);
  if (terminal) {
    WEIR_ASSIGN(PipelineCompiler::Terminal made,
                context_.pipelines->compile_terminal(node, inner, next_path()));
    return this->terminal(std::move(made.runner), made.spec, captured, scope);
  }
  Instruction instruction;
  instruction.kind = Instruction::Kind::dataset;
  WEIR_ASSIGN(instruction.dataset, context_.pipelines->compile_dataset(node, inner, next_path()));
  const Dataset& dataset = *instruction.dataset;
  add_traits(dataset);
  instruction.args = captured.imported();
  instruction.uses = captured.used();
  return emit_values(std::move(instruction), Spec::dataset(dataset.spec()), outer);
}

Typed Compiler::terminal(RefPtr<const TerminalRunner> runner, const Spec& spec, const Builder& captured,
                         const Scope& scope) {
  runner->add_sites(traits_.sites);
  add_traits(runner->lane(), runner->not_replayable());
  Instruction instruction;
  instruction.kind = Instruction::Kind::terminal;
  instruction.can_fail = true;
  instruction.per_row = true;
  instruction.site = next_site();
  instruction.terminal = std::move(runner);
  instruction.args = captured.imported();
  instruction.uses = captured.used();
  return emit_values(std::move(instruction), spec, builder(scope));
}

void Compiler::add_traits(const Dataset& dataset) {
  add_traits(dataset.lane(), dataset.not_replayable());
  traits_.sites.add(dataset.sites());
  traits_.epoch_nodes.insert(traits_.epoch_nodes.end(), dataset.epoch_nodes().begin(),
                             dataset.epoch_nodes().end());
}

void Compiler::add_traits(Lane lane, std::string why) {
  traits_.lane = std::max(traits_.lane, lane);
  if (traits_.not_replayable.empty()) traits_.not_replayable = std::move(why);
}

void Compiler::add_traits(const ProgramTraits& traits) {
  add_traits(traits.lane, traits.not_replayable);
  traits_.sites.add(traits.sites);
  traits_.epoch_nodes.insert(traits_.epoch_nodes.end(), traits.epoch_nodes.begin(), traits.epoch_nodes.end());
  traits_.draws_random = traits_.draws_random || traits.draws_random;
}

namespace {

// The cast for what stands beside a literal, so that the literal fits; "" if no dtype would do.
std::string cast_beside(const Literal& literal, DType dtype, std::string_view beside) {
  const DType wide = !literal.floating ? DType::int64 : is_float(dtype) ? DType::float64 : DType::float32;
  const bool castable = is_integer(dtype) || is_float(dtype);
  if (beside.empty() || !castable || wide == dtype || !literal.to(wide).ok()) return "";
  return concat("write ", dtype_name(wide), "(…) around ", beside);
}

}  // namespace

Status Compiler::resolve_as(Leaf& leaf, DType dtype, const Node& node, std::string_view beside) {
  if (leaf.literal) {
    Result<Tensor> value = leaf.literal->to(dtype);
    if (!value.ok()) {
      Mistake what = value.status().error().what();
      if (const std::string cast = cast_beside(*leaf.literal, dtype, beside); !cast.empty()) what.hint = cast;
      return error(node, what);
    }
    leaf = typed_constant(*std::move(value)).leaves[0];
    return Status();
  }
  if (leaf.type.dtype == dtype) return Status();
  const bool castable = leaf.type.dtype != DType::string && dtype != DType::string;
  return error(node, expected_found(
                         dtype_name(dtype), concat(dtype_name(leaf.type.dtype), leaf.type.shape.to_string()),
                         castable ? concat("write ", dtype_name(dtype), "(…) around it to cast it") : ""));
}

Status Compiler::resolve_literals(Typed& value, const Node& node) {
  for (Leaf& leaf : value.leaves) {
    if (leaf.literal) WEIR_TRY(resolve_as(leaf, leaf.literal->natural(), node));
  }
  return Status();
}

// Sets the component types of a structure to those of its leaves.
void retype(Spec& spec, const std::vector<Leaf>& leaves, size_t& at) {
  if (spec.kind == Spec::Kind::tensor) {
    spec.dtype = leaves[at].type.dtype;
    spec.shape = leaves[at++].type.shape;
    return;
  }
  if (spec.kind != Spec::Kind::tuple && spec.kind != Spec::Kind::dict) {
    at += static_cast<size_t>(spec.component_count());
    return;
  }
  for (Spec& child : spec.children) retype(child, leaves, at);
}

Result<FunctionRef> compile_lambda(const CompileContext& context, const Scope& scope, const Node& lambda,
                                   const Spec& input, std::string_view path, ResultRank rank) {
  if (lambda.kind != Kind::lambda) {
    return error_at(lambda, "expected a lambda, as in x -> x + 1, or a @callback");
  }
  Compiler compiler(context, path);
  Builder program(Builder::Kind::program, &Compiler::builder(scope));
  Scope inner(scope, program);
  Typed argument = typed_of(input);
  for (Leaf& leaf : argument.leaves) leaf = program.add_input(leaf.type);
  WEIR_TRY(compiler.bind(lambda.child(0), argument, inner));
  ++context.lambdas;
  Result<Typed> body = compiler.expression(lambda.child(1), inner);
  --context.lambdas;
  WEIR_ASSIGN(Typed result, std::move(body));
  WEIR_TRY(compiler.resolve_literals(result, lambda.child(1)));
  if (rank == ResultRank::scalar) compiler.check_scalar(result, inner);
  size_t at = 0;
  retype(result.spec, result.leaves, at);
  Program finished = program.finish(result.leaves);
  return FunctionRef(make_ref<const CompiledFunction>(input, std::move(result.spec), std::move(finished),
                                                      std::move(compiler.traits())));
}

namespace {

Program program_of(const std::vector<Leaf>& constants) {
  Program out;
  for (const Leaf& leaf : constants) {
    out.results.push_back(static_cast<int>(out.registers.size()));
    out.registers.push_back(
        {.type = leaf.type, .source = Register::Source::constant, .constant = *leaf.constant});
  }
  return out;
}

}  // namespace

Result<ExpressionRef> compile_expression(const CompileContext& context, const Scope& scope, const Node& node,
                                         std::string_view path, DType wanted, ResultRank rank) {
  Compiler compiler(context, path);
  Builder program(Builder::Kind::program, &Compiler::builder(scope));
  Scope inner(scope, program);
  WEIR_ASSIGN(Typed result, compiler.expression(node, inner));
  if (wanted != DType::invalid) {
    if (!result.is_tensor()) {
      return error_at(node, expected_found(dtype_name(wanted), result.spec.to_string()));
    }
    WEIR_TRY(compiler.resolve_as(result.leaves[0], wanted, node));
  }
  WEIR_TRY(compiler.resolve_literals(result, node));
  if (rank == ResultRank::scalar) compiler.check_scalar(result, inner);
  Program finished = program.finish(result.leaves);
  Status failure;
  if (!finished.code.empty() && compiler.traits().lane == Lane::compute && is_constant(finished)) {
    auto values = run_constant(finished);
    if (values.ok()) {
      for (size_t i = 0; i < values->size(); ++i)
        result.leaves[i] = typed_constant(std::move((*values)[i])).leaves[0];
      finished = program_of(result.leaves);
    } else if (values.status().code() != Code::resource_exhausted) {
      failure = compiler.failure(node, values.status());
    }
  }
  size_t at = 0;
  retype(result.spec, result.leaves, at);
  return ExpressionRef(make_ref<const CompiledExpression>(result.spec, std::move(finished),
                                                          std::move(compiler.traits()), std::move(failure)));
}

bool is_dataset(const CompileContext& context, const Scope& scope, const Node& node) {
  return Compiler(context, "").is_dataset(node, scope);
}

}  // namespace weir
