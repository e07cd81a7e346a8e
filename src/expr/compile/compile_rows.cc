// rows(x, r -> …): the lambda is a program of its own, over the rows of x and the variables that it uses.
#include <algorithm>
#include <utility>

#include "core/text.h"
#include "expr/compile/compiler.h"
#include "expr/compile/composed_function.h"

namespace weir {

using syntax::Kind;
using syntax::Node;

namespace {

// What a row of the spec is; `count` becomes the number of rows if some tensor tells it.
Result<Spec> row_spec(const Spec& spec, int64_t& count) {
  if (spec.is_tensor()) {
    if (!spec.shape.rank_known()) return Spec::tensor(spec.dtype, Shape::unknown_rank());
    if (spec.shape.rank() == 0)
      return invalid_argument(expected_found("tensors with a first dimension", spec.to_string()));
    if (count >= 0 && spec.shape[0] >= 0 && spec.shape[0] != count) {
      return invalid_argument(
          expected_found("tensors with one first dimension", concat(count, " and ", spec.shape[0])));
    }
    if (spec.shape[0] >= 0) count = spec.shape[0];
    return Spec::tensor(spec.dtype, spec.shape.tail());
  }
  if (spec.kind != Spec::Kind::tuple && spec.kind != Spec::Kind::dict) {
    const bool ragged = spec.kind == Spec::Kind::ragged;
    return invalid_argument(expected_found("tensors with rows", spec.to_string(),
                                           ragged ? "to_tensor(x) makes a dense tensor" : ""));
  }
  Spec out = spec;
  for (Spec& child : out.children) {
    WEIR_ASSIGN(child, row_spec(child, count));
  }
  return out;
}

// True if every tensor has that many rows, whatever the data is.
bool have_rows(const std::vector<Leaf>& leaves, int64_t count) {
  return std::all_of(leaves.begin(), leaves.end(), [count](const Leaf& leaf) {
    return leaf.type.shape.rank_known() && leaf.type.shape[0] == count && count >= 0;
  });
}

bool only_tensors(const Spec& spec) {
  if (spec.kind != Spec::Kind::tuple && spec.kind != Spec::Kind::dict) return spec.is_tensor();
  return std::all_of(spec.children.begin(), spec.children.end(), only_tensors);
}

// Some instruction draws or has effects, so that each element is a call of its own.
bool has_effects(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& one) {
    return one.per_row ||
           (one.then_program && (has_effects(*one.then_program) || has_effects(*one.else_program)));
  });
}

}  // namespace

Result<Typed> Compiler::body_of_rows(const Node& function, const Typed& row, Scope& scope) {
  if (function.kind == Kind::callback) {
    if (context_.pipelines == nullptr)
      return error(function, concat("nothing was passed as @", function.text));
    WEIR_ASSIGN(const CallbackRef callback, context_.pipelines->callback(function));
    return call_host(callback, {row}, row.spec, function, scope);
  }
  if (function.kind != Kind::lambda)
    return error(function, "expected a lambda, as in r -> r + 1, or a @callback");
  WEIR_TRY(bind(function.child(0), row, scope));
  ++context_.lambdas;
  Result<Typed> body = expression(function.child(1), scope);
  --context_.lambdas;
  if (body.ok()) WEIR_TRY(resolve_literals(*body, function.child(1)));
  return body;
}

Result<Typed> Compiler::rows(const Nodes& arguments, const Scope& scope) {
  WEIR_ASSIGN(Typed x, expression(*arguments[0], scope));
  WEIR_TRY(resolve_literals(x, *arguments[0]));
  size_t at = 0;
  retype(x.spec, x.leaves, at);
  int64_t count = kUnknownDim;
  Result<Spec> row_type = row_spec(x.spec, count);
  if (!row_type.ok()) return error(*arguments[0], row_type.status().error().what());
  if (x.leaves.empty()) return error(*arguments[0], expected_found("tensors with rows", x.spec.to_string()));

  Builder& outer = builder(scope);
  Builder inner(Builder::Kind::branch, &outer);
  Scope row_scope(scope, inner);
  Typed row = typed_of(*row_type);
  for (Leaf& leaf : row.leaves) leaf = inner.add_input(leaf.type);
  ProgramTraits before = std::exchange(traits_, ProgramTraits());
  Result<Typed> made = body_of_rows(*arguments[1], row, row_scope);
  ProgramTraits traits = std::exchange(traits_, std::move(before));
  add_traits(traits);
  WEIR_ASSIGN(Typed out, std::move(made));
  at = 0;
  retype(out.spec, out.leaves, at);
  const Node& body = arguments[1]->items.empty() ? *arguments[1] : arguments[1]->child(1);
  if (!only_tensors(out.spec)) return error(body, expected_found("tensors", out.spec.to_string()));

  // What is no more than a part of the row needs no call.
  const auto passed = [&](const Leaf& leaf) {
    return leaf.owner == &inner && leaf.index < static_cast<int>(x.leaves.size());
  };
  std::vector<Leaf> computed;
  std::vector<Component> types;
  bool shapes_known = have_rows(x.leaves, count);
  for (const Leaf& leaf : out.leaves) {
    if (leaf.type.shape.rank_known() && leaf.type.shape.rank() == kMaxRank)
      return error(body, expected_found(concat("rows of at most ", kMaxRank - 1, " dimensions"), "more"));
    if (passed(leaf)) continue;
    computed.push_back(leaf);
    types.push_back({leaf.type.dtype, leaf.type.shape.prepended(count)});
    shapes_known = shapes_known && leaf.type.shape.is_static();
  }
  Instruction instruction{.kind = Instruction::Kind::rows};
  // Variables of enclosing scopes have become inputs late.
  Program program = with_inputs_first(inner.finish(computed));
  instruction.can_fail = program.can_fail || !shapes_known;
  instruction.per_row = has_effects(program);
  instruction.site = next_site();
  instruction.row_args = static_cast<int>(x.leaves.size());
  for (const Leaf& leaf : x.leaves) instruction.args.push_back(outer.register_of(leaf));
  Spec input = Spec::tuple({});
  Spec result = Spec::tuple({});
  for (const Leaf& leaf : row.leaves)
    input.children.push_back(Spec::tensor(leaf.type.dtype, leaf.type.shape));
  for (const int reg : inner.imported()) instruction.args.push_back(reg);
  for (const Leaf& leaf : computed) result.children.push_back(Spec::tensor(leaf.type.dtype, leaf.type.shape));
  auto function = make_ref<const CompiledFunction>(std::move(input), std::move(result), std::move(program),
                                                   std::move(traits));
  instruction.row_program = &function->program();
  instruction.function = std::move(function);
  std::vector<Leaf> results = outer.emit(std::move(instruction), types);
  size_t next = 0;
  for (Leaf& leaf : out.leaves) {
    leaf = passed(leaf) ? x.leaves[static_cast<size_t>(leaf.index)] : std::move(results[next++]);
    leaf.integers.reset();
  }
  at = 0;
  retype(out.spec, out.leaves, at);
  return out;
}

}  // namespace weir
