#include "graph/call_of_source.h"

#include <atomic>

#include "core/text.h"
#include "syntax/hints.h"
#include "syntax/parser.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

struct LastingName {
  std::string text;
  const LastingName* next;
};

// Without a lock, which another thread might hold where a child is forked.
std::atomic<const LastingName*> g_names{nullptr};

std::shared_ptr<Node> node_at(const Node& where, Kind kind, std::string text = {}) {
  auto out = std::make_shared<Node>();
  out->kind = kind;
  out->span = where.span;
  out->text = std::move(text);
  return out;
}

// Literals take the dtype of the parameter, and a string stands for a list of one.
NodePtr as_parameter(NodePtr value, const Spec& parameter) {
  if (parameter.dtype == DType::string) {
    if (parameter.shape.rank() != 1 || value->kind != Kind::string) return value;
    auto list = node_at(*value, Kind::list);
    list->depth = 2;
    list->add(std::move(value));
    return list;
  }
  if (parameter.dtype == DType::boolean) return value;
  auto cast = node_at(*value, Kind::call, "cast");
  cast->depth = static_cast<uint8_t>(value->depth + 1);
  auto dtype = node_at(*value, Kind::dtype);
  dtype->dtype = parameter.dtype;
  cast->add(std::move(value));
  cast->add(std::move(dtype));
  return cast;
}

// The value of each parameter; null if it is left out.
Result<std::vector<NodePtr>> match(const Spec& signature, const Node& call) {
  std::vector<NodePtr> values(signature.keys.size());
  for (size_t i = 0; i < call.items.size(); ++i) {
    const Item& item = call.items[i];
    const int named = item.name.empty() ? static_cast<int>(i) : signature.find(item.name);
    if (named < 0) {
      return syntax::error_at(item.value->span, {concat(call.text, " has no parameter '", item.name, "'"),
                                                 syntax::nearest_hint(item.name, signature.keys)});
    }
    if (static_cast<size_t>(named) >= values.size())
      return syntax::error_at(item.value->span,
                              concat(call.text, " takes at most ", values.size(), " arguments"));
    NodePtr& at = values[static_cast<size_t>(named)];
    if (at) {
      return syntax::error_at(item.value->span,
                              concat("the argument '", signature.keys[static_cast<size_t>(named)], "' of ",
                                     call.text, " is given twice"));
    }
    at = item.value;
  }
  return values;
}

}  // namespace

Result<NodePtr> call_of_source(const Generator& generator, const Node& call) {
  const Spec& signature = *generator.signature();
  WEIR_ASSIGN(std::vector<NodePtr> values, match(signature, call));
  syntax::Tree defaults;
  if (!generator.defaults().empty()) {
    WEIR_ASSIGN(defaults, syntax::parse_value(std::string(generator.defaults())));
    for (const Item& item : defaults.root->items) {
      NodePtr& value = values[static_cast<size_t>(signature.find(item.name))];
      if (!value) value = item.value;
    }
  }
  auto arguments = node_at(call, Kind::dict);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i])
      return syntax::error_at(call.span, concat(call.text, " needs the argument '", signature.keys[i], "'"));
    NodePtr value = as_parameter(values[i], signature.children[i]);
    arguments->depth = std::max<uint8_t>(arguments->depth, static_cast<uint8_t>(value->depth + 1));
    arguments->items.push_back({.name = signature.keys[i], .value = std::move(value)});
  }
  auto out = node_at(call, Kind::call, "from_generator");
  out->depth = static_cast<uint8_t>(arguments->depth + 1);
  out->add(node_at(call, Kind::callback, call.text));
  out->add(node_at(call, Kind::none));
  out->items.push_back({.name = "arguments", .value = std::move(arguments)});
  return NodePtr(std::move(out));
}

// Two threads may each add it.
const char* lasting_name(const std::string& name) {
  const LastingName* known = g_names.load(std::memory_order_acquire);
  while (known != nullptr && known->text != name) known = known->next;
  if (known != nullptr) return known->text.c_str();
  auto* const made = new LastingName{name, g_names.load(std::memory_order_acquire)};
  while (!g_names.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
  }
  return made->text.c_str();
}

}  // namespace weir
