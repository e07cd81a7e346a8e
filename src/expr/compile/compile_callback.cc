// @NAME(…) and NAME(…): the host's functions inside an expression, called for a block of rows.
#include "core/text.h"
#include "expr/compile/compiler.h"
#include "expr/types/function.h"
#include "syntax/hints.h"

namespace weir {

using syntax::Item;
using syntax::Node;

// `input`: the structure that the callback gets, whose components are those of the arguments.
Result<Typed> Compiler::call_host(const CallbackRef& callback, const std::vector<Typed>& arguments,
                                  const Spec& input, const Node& node, const Scope& scope) {
  auto made = make_callback_function(callback, input);
  if (!made.ok()) return error(node, made.status().error().what());
  FunctionRef function = *std::move(made);
  function->add_sites(traits_.sites);
  add_traits(function->lane(), function->not_replayable());
  Instruction instruction;
  instruction.kind = Instruction::Kind::function;
  instruction.can_fail = true;
  instruction.per_row = true;
  // Random calls after this one are numbered by it.
  instruction.site = next_site();
  for (const Typed& argument : arguments) {
    for (const Leaf& leaf : argument.leaves) instruction.args.push_back(builder(scope).register_of(leaf));
  }
  const Spec result = function->result();
  instruction.function = std::move(function);
  return emit_values(std::move(instruction), result, builder(scope));
}

// A single argument is the callback's element; several form a tuple.
Result<Typed> Compiler::invocation(const Node& node, const Scope& scope) {
  const Node& name = node.child(0);
  if (context_.pipelines == nullptr) return error(name, concat("nothing was passed as @", name.text));
  WEIR_ASSIGN(CallbackRef callback, context_.pipelines->callback(name));
  if (node.items.size() < 2) return error(node, expected_found(concat("arguments for @", name.text), "none"));
  Spec input = Spec::tuple({});
  std::vector<Typed> arguments;
  Status mistakes;
  for (size_t i = 1; i < node.items.size(); ++i) {
    Result<Typed> argument = expression(node.child(i), scope);
    if (argument.ok()) mistakes = both(mistakes, resolve_literals(*argument, node.child(i)));
    mistakes = both(mistakes, argument.status());
    if (!mistakes.ok()) continue;
    Typed value = *std::move(argument);
    if (value.spec.has_dataset()) {
      mistakes = error(node.child(i), expected_found("tensors for a callback", value.spec.to_string()));
      continue;
    }
    size_t at = 0;
    retype(value.spec, value.leaves, at);
    input.children.push_back(value.spec);
    arguments.push_back(std::move(value));
  }
  WEIR_TRY(std::move(mistakes));
  if (input.children.size() == 1) {
    Spec only = std::move(input.children[0]);
    input = std::move(only);
  }
  return call_host(callback, arguments, input, node, scope);
}

// An argument of a function of the host: literals take the dtype that its signature says.
Result<Typed> Compiler::user_argument(const Node& node, const Spec& wanted, const Scope& scope) {
  WEIR_ASSIGN(Typed value, expression(node, scope));
  if (value.is_literal() && wanted.is_tensor()) {
    WEIR_TRY(resolve_as(value.leaves[0], wanted.dtype, node));
  }
  WEIR_TRY(resolve_literals(value, node));
  size_t at = 0;
  retype(value.spec, value.leaves, at);
  if (wanted.is_tensor() && wanted.shape == Shape()) check_scalar(value, scope);
  if (wanted.check_compatible(value.spec).ok()) return value;
  return error(node, expected_found(wanted.to_string(), value.spec.to_string()));
}

Result<Typed> Compiler::user_call(const CallbackRef& callback, const Node& node, const Scope& scope) {
  const Spec& signature = *callback->signature();
  const size_t count = signature.children.size();
  Nodes given(count);
  for (size_t i = 0; i < node.items.size(); ++i) {
    const Item& item = node.items[i];
    const int named = item.name.empty() ? static_cast<int>(i) : signature.find(item.name);
    if (named < 0) {
      return error(*item.value, {concat(node.text, " has no argument '", item.name, "'"),
                                 syntax::nearest_hint(item.name, signature.keys)});
    }
    if (static_cast<size_t>(named) >= count)
      return error(*item.value, concat(node.text, " takes at most ", count, " arguments"));
    const Node*& at = given[static_cast<size_t>(named)];
    if (at != nullptr) {
      return error(*item.value, concat("the argument '", signature.keys[static_cast<size_t>(named)], "' of ",
                                       node.text, " is given twice"));
    }
    at = item.value.get();
  }
  std::vector<Typed> arguments;
  Spec input = Spec::tuple({});
  Status mistakes;
  for (size_t i = 0; i < count; ++i) {
    if (given[i] == nullptr)
      return error(node, concat(node.text, " needs the argument '", signature.keys[i], "'"));
    Result<Typed> value = user_argument(*given[i], signature.children[i], scope);
    mistakes = both(mistakes, value.status());
    if (!value.ok()) continue;
    input.children.push_back(value->spec);
    arguments.push_back(*std::move(value));
  }
  WEIR_TRY(std::move(mistakes));
  return call_host(callback, arguments, input, node, scope);
}

}  // namespace weir
