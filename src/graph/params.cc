#include <algorithm>

#include "core/text.h"
#include "core/values.h"
#include "expr/compile/compile.h"
#include "graph/document.h"
#include "syntax/hints.h"
#include "syntax/parser.h"

namespace weir {

using syntax::Kind;
using syntax::Node;

namespace {

bool is_structure(const Spec& spec) {
  return spec.kind == Spec::Kind::tuple || spec.kind == Spec::Kind::dict;
}

// The literal for a member, or null.
const Node* member(const Node& node, const Spec& spec, size_t i) {
  if (spec.kind == Spec::Kind::tuple) return i < node.items.size() ? node.items[i].value.get() : nullptr;
  for (const syntax::Item& item : node.items) {
    if (item.name == spec.keys[i]) return item.value.get();
  }
  return nullptr;
}

Status read_literal(const CompileContext& context, const Node& node, const Spec& spec, Components& out) {
  if (is_structure(spec)) {
    bool fits = node.kind == (spec.kind == Spec::Kind::tuple ? Kind::tuple : Kind::dict);
    if (!fits || node.items.size() != spec.children.size()) {
      return error_at(node, concat("expected a literal of ", spec.to_string()));
    }
    for (size_t i = 0; i < spec.children.size(); ++i) {
      const Node* part = member(node, spec, i);
      if (!part) return error_at(node, concat("expected a value for the key ", quote(spec.keys[i])));
      WEIR_TRY(read_literal(context, *part, spec.children[i], out));
    }
    return {};
  }
  if (!spec.is_tensor()) {
    return error_at(node, concat(spec.to_string(), " has no literal; hand the value in as tensors"));
  }
  Scope scope;
  WEIR_ASSIGN(ExpressionRef value, compile_expression(context, scope, node, "", spec.dtype));
  if (!value->constant() || !value->spec().is_tensor() || !value->spec().shape.compatible(spec.shape)) {
    return error_at(node, expected_found(spec.to_string(), value->spec().to_string()));
  }
  out.push_back((*value->constant())[0]);
  return {};
}

bool is_number(const Node& node) {
  if (node.kind == Kind::unary && node.op == syntax::Op::negate) return is_number(node.child(0));
  // inf and nan are words.
  return node.kind == Kind::integer || (node.kind == Kind::floating && node.text[0] <= '9');
}

bool is_written_value(const Node& node) {
  switch (node.kind) {
    case Kind::string:
    case Kind::boolean:
    case Kind::floating:
      return true;
    case Kind::list:
    case Kind::tuple:
    case Kind::dict:
      return std::all_of(node.items.begin(), node.items.end(),
                         [](const syntax::Item& item) { return is_written_value(*item.value); });
    case Kind::unary:
      return node.op == syntax::Op::negate && is_written_value(node.child(0));
    default:
      return is_number(node);
  }
}

// True if the text of a string parameter stands for itself: it has no quotes and is no literal of another
// kind, which is more often a mistake than a name.
bool is_plain_text(const std::string& text, const Result<syntax::Tree>& tree) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string::npos && text[begin] == '"') return false;
  if (!tree.ok()) return true;
  const Node& root = *tree->root;
  return !is_number(root) && root.kind != Kind::list && root.kind != Kind::tuple && root.kind != Kind::dict;
}

Result<Components> read_text(const DeclaredParam& param, const std::string& text) {
  Result<syntax::Tree> tree = syntax::parse_value(text);
  const bool is_string = param.spec.is_scalar(DType::string);
  if (is_string && is_plain_text(text, tree)) return Components{Tensor::string(text)};
  if (!tree.ok()) return tree.status();
  CompileContext context;
  if (!is_written_value(*tree->root)) {
    return error_at(*tree->root, concat("expected a literal of ", param.spec.to_string()));
  }
  if (is_string && tree->root->kind != Kind::string) {
    return error_at(*tree->root,
                    expected_found("a string", "a literal of another kind", "put it in double quotes"));
  }
  Components out;
  WEIR_TRY(read_literal(context, *tree->root, param.spec, out));
  return out;
}

Result<Components> read_value(const DeclaredParam& param,
                              const std::variant<std::string, HandedValue>& given) {
  if (const auto* text = std::get_if<std::string>(&given)) return read_text(param, *text);
  const auto& value = std::get<HandedValue>(given);
  WEIR_TRY(check_value(value.spec, value.values));
  WEIR_TRY(param.spec.check_compatible(value.spec));
  Components out;
  for (int from : component_order(value.spec, param.spec))
    out.push_back(value.values[static_cast<size_t>(from)]);
  WEIR_TRY(check_value(param.spec, out));
  return out;
}

Status check_names(const Document& document, const std::vector<ParamValue>& given) {
  std::vector<std::string> names;
  for (const DeclaredParam& param : document.params()) names.push_back(param.name);
  for (size_t i = 0; i < given.size(); ++i) {
    bool known = false;
    for (const std::string& name : names) known = known || name == given[i].name;
    if (!known) {
      std::string declared;
      for (const std::string& name : names) declared += concat(declared.empty() ? "$" : ", $", name);
      std::string hint = syntax::nearest_hint(given[i].name, names, "$");
      if (hint.empty()) hint = concat("the dataset declares ", declared.empty() ? "none" : declared);
      return invalid_argument({concat("there is no parameter $", given[i].name), std::move(hint)});
    }
    for (size_t j = 0; j < i; ++j) {
      if (given[j].name == given[i].name) {
        return invalid_argument(concat("the parameter $", given[i].name, " is given twice"));
      }
    }
  }
  return {};
}

}  // namespace

Result<EnvRef> bind_params_env(const Document& document, const std::vector<ParamValue>& given) {
  WEIR_TRY(check_names(document, given));
  if (document.params().empty()) return EnvRef();
  Components values;
  std::string missing, as_options;
  for (const DeclaredParam& param : document.params()) {
    const ParamValue* found = nullptr;
    for (const ParamValue& value : given) {
      if (value.name == param.name) found = &value;
    }
    if (!found) {
      missing += concat(missing.empty() ? "a value for the parameter $" : ", for $", param.name, " of ",
                        param.spec.to_string());
      as_options += concat(" -p ", param.name, "=VALUE");
      continue;
    }
    auto read = read_value(param, found->value);
    if (!read.ok()) {
      const auto* text = std::get_if<std::string>(&found->value);
      Error error = syntax::render(read.status(), text ? *text : "").error();
      error.message = concat("the parameter $", param.name, ": ", error.message);
      return Status(std::move(error));
    }
    for (Tensor& tensor : *read) values.push_back(std::move(tensor));
  }
  if (missing.empty()) return EnvRef(make_ref<Env>(nullptr, std::move(values)));
  return invalid_argument(expected_found(
      missing, "none", concat("give params={\"NAME\": value} in Python, in the command", as_options)));
}

}  // namespace weir
