// Names, fields, positions, `let` and patterns: only structure, so nothing here costs anything at run time.
#include "core/text.h"
#include "expr/compile/compiler.h"
#include "syntax/hints.h"
#include "syntax/printer.h"

namespace weir {

using syntax::Kind;
using syntax::Node;

Result<Typed> Compiler::name(const Node& node, const Scope& scope) {
  const Scope::Bound bound = scope.look_up(node.text);
  if (bound.scope == nullptr) return unknown_name(node, scope);
  const Scope::Binding& binding = bound.scope->bindings_[bound.index];
  if (binding.mistake) return as_consequence(error(node, concat(node.text, " was not built")));
  if (binding.expression) return let_value(node, *binding.expression, bound, scope);
  if (binding.computed)
    return terminal(binding.computed, binding.value.spec, Builder(Builder::Kind::capture, nullptr), scope);
  if (binding.dataset) {
    Typed out = typed_of(Spec::dataset(binding.dataset->spec()));
    out.leaves[0].dataset = binding.dataset;
    out.leaves[0].env_depth = bound.scope->env_depth();
    add_traits(*binding.dataset);
    return out;
  }
  // Leaves are imported where they are used.
  for (const Leaf& leaf : binding.value.leaves) {
    if (leaf.owner != nullptr) builder(scope).capture(leaf);
  }
  return binding.value;
}

// Compiles a `let` where it is used, with the names that it could see where it stands.
Result<Typed> Compiler::let_value(const Node& node, const Node& value, const Scope::Bound& bound,
                                  const Scope& scope) {
  if (++context_.let_uses > kMaxLetUses || context_.let_levels + value.depth > kMaxLetLevels) {
    return error(node, expected_found(concat("`let` values of at most ", kMaxLetLevels,
                                             " levels of expressions within one another and ", kMaxLetUses,
                                             " uses in all"),
                                      "more", "compute them in a map"));
  }
  const Scope seen(scope, Scope::Let{nullptr, bound.scope, bound.index});
  context_.let_levels += value.depth;
  Result<Typed> typed = expression(value, seen);
  context_.let_levels -= value.depth;
  return typed;
}

Result<Typed> Compiler::unknown_name(const Node& node, const Scope& scope) {
  if (find_kernel(node.text) != nullptr) {
    return error(node,
                 {concat("'", node.text, "' is a function"), concat("write ", node.text, "(…) to call it")});
  }
  return error(
      node, {concat("there is no variable '", node.text, "'"), syntax::hint_for(node.text, scope.names())});
}

Result<Typed> Compiler::parameter(const Node& node, const Scope& scope) {
  std::vector<std::string> names;
  for (const Scope::Param& param : scope.root().params_) {
    names.push_back(param.name);
    if (param.name == node.text) return param.value;
  }
  return error(node, {concat("no parameter '", node.text, "' is declared"),
                      names.empty() ? concat("declare it with `param ", node.text, ": SPEC`")
                                    : syntax::nearest_hint(node.text, names)});
}

Result<Typed> Compiler::handed(const Node& node) {
  if (context_.pipelines == nullptr) return error(node, concat("nothing was passed as @", node.text));
  WEIR_ASSIGN(PipelineCompiler::HandedIn given, context_.pipelines->handed(node));
  if (given.dataset) {
    Typed out = typed_of(Spec::dataset(given.dataset->spec()));
    out.leaves[0].dataset = given.dataset;
    out.leaves[0].env_depth = 0;
    add_traits(*given.dataset);
    return out;
  }
  Typed out = typed_of(given.spec);
  for (size_t i = 0; i < out.leaves.size(); ++i) {
    const Tensor& value = given.values[i];
    // Few integers may be a shape, whose entries are known while the graph is built.
    if (value.shape.count() <= 2 * kMaxRank)
      out.leaves[i].integers = typed_constant(value).leaves[0].integers;
    out.leaves[i].constant = std::make_shared<const Tensor>(value);
  }
  return out;
}

namespace {

// The name at the start of a chain of fields, if there is one.
std::string_view prefix_of(const Node& field) {
  const Node* base = &field;
  while (base->kind == Kind::field) base = &base->child(0);
  return base->kind == Kind::name ? std::string_view(base->text) : std::string_view();
}

}  // namespace

Result<Typed> Compiler::field(const Node& node, const Scope& scope) {
  const std::string_view prefix = prefix_of(node);
  if (!prefix.empty() && scope.look_up(prefix).scope == nullptr) {
    const std::string hint = syntax::hint_for_member(prefix, node.text);
    if (!hint.empty()) return error(node, {concat("there is no variable '", prefix, "'"), hint});
  }
  WEIR_ASSIGN(Typed value, expression(node.child(0), scope));
  if (value.spec.kind != Spec::Kind::dict) {
    // Attributes in Python.
    const bool function = node.text == "shape" || node.text == "size" || node.text == "rank";
    return error(node, expected_found(concat("a dict with the key ", syntax::print_key(node.text)),
                                      value.spec.to_string(),
                                      function ? concat("write ", node.text, "(x)") : std::string()));
  }
  const int at = value.spec.find(node.text);
  if (at >= 0) return value.child(at);
  return error(node,
               {concat("there is no key ", syntax::print_key(node.text), " in ", value.spec.to_string()),
                syntax::nearest_hint(node.text, value.spec.keys)});
}

Result<Typed> Compiler::position(const Node& node, const Scope& scope) {
  WEIR_ASSIGN(Typed value, expression(node.child(0), scope));
  if (value.spec.kind != Spec::Kind::tuple) {
    return error(node, expected_found(concat("a tuple before .", node.integer), value.spec.to_string(),
                                      value.is_tensor() ? "write x[i] for an entry of a tensor" : ""));
  }
  if (node.integer < value.spec.children.size()) return value.child(static_cast<int>(node.integer));
  return error(node, concat("position ", node.integer, " is beyond ", value.spec.to_string(), ", which has ",
                            value.spec.children.size(), " members"));
}

Result<Typed> Compiler::let_in(const Node& node, const Scope& scope) {
  Result<Typed> value = expression(node.child(0), scope);
  Scope inner(scope, builder(scope));
  if (value.ok()) {
    inner.bind_value(node.text, *std::move(value));
    return expression(node.child(1), inner);
  }
  inner.bind_mistake(node.text);
  return both(value.status(), expression(node.child(1), inner).status());
}

Status Compiler::bind(const Node& pattern, const Typed& value, Scope& scope) {
  switch (pattern.kind) {
    case Kind::pattern_name:
      scope.bind_value(pattern.text, value);
      return Status();
    case Kind::pattern_tuple:
      return bind_tuple(pattern, value, scope);
    case Kind::pattern_dict:
      return bind_dict(pattern, value, scope);
    default:
      return Status();
  }
}

Status Compiler::bind_tuple(const Node& pattern, const Typed& value, Scope& scope) {
  if (value.spec.kind != Spec::Kind::tuple || value.spec.children.size() != pattern.items.size()) {
    return error(pattern, concat("the pattern takes a tuple of ", pattern.items.size(),
                                 pattern.items.size() == 1 ? " member" : " members", ", found ",
                                 value.spec.to_string()));
  }
  for (size_t i = 0; i < pattern.items.size(); ++i) {
    WEIR_TRY(bind(pattern.child(i), value.child(static_cast<int>(i)), scope));
  }
  return Status();
}

Status Compiler::bind_dict(const Node& pattern, const Typed& value, Scope& scope) {
  if (value.spec.kind != Spec::Kind::dict) {
    return error(pattern, concat("the pattern takes a dict, found ", value.spec.to_string()));
  }
  std::vector<bool> named(value.spec.children.size());
  for (const syntax::Item& item : pattern.items) {
    if (item.value->kind == Kind::pattern_rest) {
      scope.bind_value(item.value->child(0).text, value.others(named));
      continue;
    }
    const int at = value.spec.find(item.name);
    if (at >= 0) named[static_cast<size_t>(at)] = true;
    if (at < 0) {
      return error(pattern,
                   {concat("there is no key ", syntax::print_key(item.name), " in ", value.spec.to_string()),
                    syntax::nearest_hint(item.name, value.spec.keys)});
    }
    WEIR_TRY(bind(*item.value, value.child(at), scope));
  }
  return Status();
}

}  // namespace weir
