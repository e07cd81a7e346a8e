#include "graph/arguments.h"

#include <algorithm>
#include <charconv>

#include "core/text.h"
#include "expr/compile/function_arguments.h"
#include "graph/format_element.h"
#include "ops/list.h"
#include "syntax/hints.h"
#include "syntax/parser.h"
#include "syntax/printer.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

NodePtr literal(Kind kind, uint64_t integer = 0, std::string text = "") {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->integer = integer;
  node->text = std::move(text);
  return node;
}

NodePtr negated(NodePtr operand) {
  auto node = std::make_shared<Node>();
  node->kind = Kind::unary;
  node->op = syntax::Op::negate;
  node->depth = static_cast<uint8_t>(operand->depth + 1);
  node->items.push_back({"", {}, std::move(operand)});
  return node;
}

NodePtr literal_of(int64_t value) {
  if (value >= 0) return literal(Kind::integer, static_cast<uint64_t>(value));
  return negated(literal(Kind::integer, ~static_cast<uint64_t>(value) + 1));
}

NodePtr literal_of(double value) {
  if (value < 0) return negated(literal_of(-value));
  return literal(Kind::floating, 0, format_float(value));
}

NodePtr literal_of(bool value) { return literal(Kind::boolean, value ? 1 : 0); }
NodePtr literal_of(const std::string& value) { return literal(Kind::string, 0, value); }

template <class T>
NodePtr default_literal(const Scalar<T>& slot) {
  switch (slot.state) {
    case Scalar<T>::State::constant:
      return literal_of(slot.value);
    case Scalar<T>::State::automatic:
      return literal(Kind::automatic);
    case Scalar<T>::State::none:
      return literal(Kind::none);
    default:
      return nullptr;
  }
}

NodePtr default_literal(const SeedParam&) { return literal(Kind::none); }

NodePtr default_literal(const DTypeParam& slot) {
  if (!slot.set()) return nullptr;
  auto node = std::make_shared<Node>();
  node->kind = Kind::dtype;
  node->dtype = slot.dtype;
  return node;
}

NodePtr default_literal(const ValueParam& slot) {
  if (!slot.set || !slot.spec.is_scalar(DType::int64)) return nullptr;
  return literal_of(*slot.values[0].as<int64_t>());
}

template <class T>
NodePtr default_literal(const T&) {
  return nullptr;
}

bool takes_any_number(const FieldList& fields) {
  if (fields.list.size() != 1) return false;
  auto* const* datasets = std::get_if<InputsParam*>(&fields.list[0].slot);
  return datasets && !(*datasets)->list;
}

// True for the single argument of `f(x)`; in `f(x, single: y)` the unnamed one is the first parameter, as
// always.
bool is_single(const OperatorDef& def, const FieldList& fields, const Node& call, size_t positional) {
  if (positional != 1 || def.page.single_argument == nullptr) return false;
  return std::none_of(call.items.begin(), call.items.end(), [&](const Item& item) {
    return parameter_name(fields, item.name) == def.page.single_argument;
  });
}

size_t count_positional(const Node& call) {
  size_t count = 0;
  while (count < call.items.size() && call.items[count].name.empty()) ++count;
  return count;
}

NodePtr gather_positional(const Node& call, size_t count) {
  if (count == 1) {
    Kind kind = call.child(0).kind;
    if (kind == Kind::tuple || kind == Kind::dict) return call.items[0].value;
  }
  auto node = std::make_shared<Node>();
  node->kind = Kind::tuple;
  node->span = call.span;
  node->depth = call.depth;
  node->items.assign(call.items.begin(), call.items.begin() + static_cast<ptrdiff_t>(count));
  return node;
}

// An argument of a call; null if it is left out or equal to its default.
struct GivenArgument {
  std::string name;
  NodePtr value;
};

std::vector<Item> arranged(const std::vector<GivenArgument>& given, int last_required, int single) {
  // How many stand without a name: all up to the last required one, if none of them is missing.
  int prefix = 0;
  while (prefix < static_cast<int>(given.size()) && given[static_cast<size_t>(prefix)].value) ++prefix;
  prefix = std::min(prefix, std::max(last_required + 1, 1));
  // One alone would be taken for the single argument.
  if (single >= 0 && prefix == 1) prefix = 0;

  std::vector<Item> out;
  const bool alone = single >= 0 && prefix == 0;
  if (alone && given[static_cast<size_t>(single)].value)
    out.push_back({"", {}, given[static_cast<size_t>(single)].value});
  for (int i = 0; i < static_cast<int>(given.size()); ++i) {
    const GivenArgument& argument = given[static_cast<size_t>(i)];
    if (!argument.value || (alone && i == single)) continue;
    out.push_back({i < prefix ? "" : argument.name, {}, argument.value});
  }
  return out;
}

bool is_default(const KernelParam& param, const Node& value) {
  if (param.fallback == nullptr) return false;
  if (param.kind == ParamKind::dtype)
    return value.kind == Kind::dtype && dtype_name(value.dtype) == param.fallback;
  const Result<syntax::Tree> tree = syntax::parse_value(param.fallback);
  return tree.ok() && syntax::print(*tree->root) == syntax::print(value);
}

std::string names_of(const FieldList& fields) {
  std::string out;
  for (const Field& field : fields.list) out += (out.empty() ? "" : ", ") + std::string(field.name);
  return out;
}

Mistake unknown_parameter(const FieldList& fields, const std::string& name) {
  Mistake out(concat("there is no parameter ", name));
  std::vector<std::string> names;
  for (const Field& field : fields.list) names.emplace_back(field.name);
  out.hint = syntax::nearest_hint(name, names);
  if (out.hint.empty()) out.hint = names.empty() ? "it takes none" : concat("it takes ", names_of(fields));
  return out;
}

// Calls `use` with each of tf.data's names in OperatorPage::tf_names, and the name here.
template <class Use>
void each_tf_name(std::string_view names, Use&& use) {
  while (!names.empty()) {
    const std::string_view pair = names.substr(0, names.find(' '));
    const size_t equals = pair.find('=');
    use(pair.substr(0, equals), pair.substr(equals + 1));
    names.remove_prefix(std::min(pair.size() + 1, names.size()));
  }
}

}  // namespace

FieldList::FieldList(const OperatorDef& def) : tf_names(def.page.tf_names), params(def.make_params()) {
  Fields fields;
  params->fields(fields);
  list = fields.list;
}

int FieldList::last_required() const {
  for (int i = static_cast<int>(list.size()) - 1; i >= 0; --i) {
    if (is_required(list[static_cast<size_t>(i)])) return i;
  }
  return -1;
}

std::string_view parameter_name(const FieldList& fields, std::string_view name) {
  if (fields.find(name) >= 0) return name;
  std::string_view found = name;
  each_tf_name(fields.tf_names, [&](std::string_view theirs, std::string_view ours) {
    if (theirs == name) found = ours;
  });
  return found;
}

std::vector<std::string> aliases_of(const FieldList& fields, std::string_view parameter) {
  std::vector<std::string> out;
  each_tf_name(fields.tf_names, [&](std::string_view theirs, std::string_view ours) {
    if (ours == parameter) out.emplace_back(theirs);
  });
  return out;
}

int FieldList::find(std::string_view name) const {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

NodePtr default_of(const Field& field) {
  // A value that may be left out.
  const bool value = std::holds_alternative<ValueParam*>(field.slot) ||
                     std::holds_alternative<ValueOrInputParam*>(field.slot) ||
                     std::holds_alternative<FieldsParam*>(field.slot) ||
                     std::holds_alternative<FunctionParam*>(field.slot);
  if (field.allows.none && value) return literal(Kind::none);
  return std::visit([](const auto* slot) { return default_literal(*slot); }, field.slot);
}

NodePtr with_unknown_dims(const Node& node, bool in_list) {
  auto out = std::make_shared<Node>(node);
  if (node.kind == Kind::none && !in_list) out->kind = Kind::tuple;
  if (node.kind == Kind::none && in_list) {
    auto one = std::make_shared<Node>(node);
    one->kind = Kind::integer;
    one->integer = 1;
    out->kind = Kind::unary;
    out->op = syntax::Op::negate;
    out->add(std::move(one));
  }
  if (node.kind != Kind::list && node.kind != Kind::tuple && node.kind != Kind::dict &&
      node.kind != Kind::spread)
    return out;
  for (Item& item : out->items) item.value = with_unknown_dims(*item.value, node.kind == Kind::list);
  return out;
}

bool takes_exact_floats(const Field& field) {
  return std::holds_alternative<ValueParam*>(field.slot) && field.allows.weights;
}

NodePtr with_exact_second(const Node& node) {
  auto out = std::make_shared<Node>(node);
  if (node.kind != Kind::tuple || node.items.size() != 2) return out;
  auto cast = std::make_shared<Node>(*node.items[1].value);
  cast->kind = Kind::call;
  cast->text = std::string(dtype_name(DType::float64));
  cast->items = {node.items[1]};
  cast->depth = static_cast<uint8_t>(cast->depth + 1);
  out->items[1].value = std::move(cast);
  return out;
}

bool is_required(const Field& field) { return default_of(field) == nullptr; }

MatchedArguments match_arguments(const OperatorDef& def, const FieldList& fields, const Node& call) {
  MatchedArguments out;
  out.values.resize(fields.list.size());
  auto fail = [&](syntax::Span span, const Mistake& mistake) {
    out.status = both(out.status, with_operator(syntax::error_at(span, mistake), def.name));
  };

  size_t positional = count_positional(call);
  if (takes_any_number(fields)) {
    if (positional > 0) out.values[0] = gather_positional(call, positional);
  } else if (is_single(def, fields, call, positional)) {
    out.values[static_cast<size_t>(fields.find(def.page.single_argument))] = call.items[0].value;
  } else {
    const size_t taken = std::min(positional, fields.list.size());
    for (size_t i = 0; i < taken; ++i) out.values[i] = call.items[i].value;
    if (positional > taken) {
      fail(call.child(taken).span,
           taken == 0 ? expected_found("no arguments", concat(positional))
                      : expected_found(concat("at most ", taken, " arguments: ", names_of(fields)),
                                       concat(positional)));
    }
  }
  for (size_t i = positional; i < call.items.size(); ++i) {
    const Item& item = call.items[i];
    int at = fields.find(item.name);
    if (at < 0) at = fields.find(parameter_name(fields, item.name));
    if (at < 0) {
      fail(item.name_span, unknown_parameter(fields, item.name));
      continue;
    }
    NodePtr& slot = out.values[static_cast<size_t>(at)];
    if (slot) {
      fail(item.name_span,
           {concat("the parameter ", fields.list[static_cast<size_t>(at)].name, " is given twice"),
            "leave one out"});
      continue;
    }
    slot = item.value;
  }
  // A misspelt name is not a missing one.
  if (!out.status.ok()) return out;
  for (size_t i = 0; i < fields.list.size(); ++i) {
    if (out.values[i] || !is_required(fields.list[i])) continue;
    fail(call.span, concat("needs the parameter ", fields.list[i].name, ": ", fields.list[i].doc));
  }
  return out;
}

std::vector<Item> canonical_arguments(const OperatorDef& def, const FieldList& fields,
                                      const std::vector<NodePtr>& values) {
  if (takes_any_number(fields)) {
    const NodePtr& structure = values[0];
    // A tuple of one must be nested, or it would be read as the structure itself if its member is a tuple or
    // dict.
    bool nested = structure->kind == Kind::tuple && structure->items.size() == 1 &&
                  (structure->child(0).kind == Kind::tuple || structure->child(0).kind == Kind::dict);
    if (structure->kind != Kind::tuple || structure->items.empty() || nested) return {{"", {}, structure}};
    return structure->items;
  }
  std::vector<GivenArgument> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    const NodePtr fallback = values[i] ? default_of(fields.list[i]) : nullptr;
    const bool left_out = fallback && syntax::equal(*fallback, *values[i]);
    arguments.push_back({fields.list[i].name, left_out ? nullptr : values[i]});
  }
  const int single = def.page.single_argument == nullptr ? -1 : fields.find(def.page.single_argument);
  return arranged(arguments, fields.last_required(), single);
}

std::vector<Item> canonical_arguments(const Kernel& kernel, const std::vector<NodePtr>& values) {
  std::vector<GivenArgument> arguments;
  int required = -1;
  int single = -1;
  for (size_t i = 0; i < values.size(); ++i) {
    const KernelParam& param = kernel.param(i);
    arguments.push_back({param.name, values[i] && is_default(param, *values[i]) ? nullptr : values[i]});
    if (param.fallback == nullptr) required = static_cast<int>(i);
    if (kernel.single_argument != nullptr && std::string_view(param.name) == kernel.single_argument) {
      single = static_cast<int>(i);
    }
  }
  return arranged(arguments, required, single);
}

const OperatorDef* called_operator(const Node& call, CalledAs place) {
  const OperatorDef* def = find_operator(call.text);
  if (def == nullptr || (def->kind == OperatorKind::source) != (place == CalledAs::expression))
    return nullptr;
  return def;
}

NodePtr canonical_call(const NodePtr& call, CalledAs place) {
  auto out = std::make_shared<Node>(*call);
  if (const OperatorDef* def = called_operator(*call, place)) {
    const FieldList fields(*def);
    const MatchedArguments matched = match_arguments(*def, fields, *call);
    if (!matched.status.ok()) return call;
    out->items = canonical_arguments(*def, fields, matched.values);
    return out;
  }
  const Kernel* kernel = place == CalledAs::expression ? find_kernel(call->text) : nullptr;
  if (kernel == nullptr) return call;
  const FunctionArguments matched = match_arguments(*kernel, *call);
  if (matched.mistake) return call;
  out->items = canonical_arguments(*kernel, matched.values);
  return out;
}

}  // namespace weir
