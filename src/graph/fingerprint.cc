#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/text.h"
#include "graph/arguments.h"
#include "graph/canonical.h"
#include "graph/nameless.h"
#include "ops/list.h"
#include "syntax/printer.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;

namespace {

// Only the first and last part of a larger tensor is read.
constexpr size_t kMaxHashedBytes = size_t{1} << 20;
constexpr size_t kHashedEnd = size_t{64} << 10;

std::string hashed_part(std::string_view bytes) {
  if (bytes.size() <= kMaxHashedBytes) return std::string(bytes);
  return std::string(bytes.substr(0, kHashedEnd)) + std::string(bytes.substr(bytes.size() - kHashedEnd));
}

uint64_t hash_of_tensor(const Tensor& tensor) {
  if (!has_owners(tensor.dtype)) {
    return hash_of(hashed_part({reinterpret_cast<const char*>(tensor.data), tensor.byte_size()}));
  }
  uint64_t hash = 0;
  if (tensor.dtype != DType::string) return hash;
  for (const Str& text : tensor.entries<Str>()) hash = hash_of({text.data, text.size}, hash + text.size);
  return hash;
}

class Digester {
 public:
  GraphDigest take() { return std::move(out_); }

  // Inputs first, in the order of the data.
  void visit(const Node& node) {
    if (node.kind == Kind::call) return visit_call(node, true);
    if (node.kind == Kind::param) return add("param " + node.text, {{"spec", hash_of(print(node.child(0)))}});
    if (node.kind == Kind::let && !is_dataset(node.child(0))) {
      return add("let " + node.text, {{"value", hash_of(print(node.child(0)))}});
    }
    bool pipeline = node.kind == Kind::pipeline;
    for (size_t i = 0; i < node.items.size(); ++i) {
      if (!node.items[i].value) continue;
      if (pipeline && i > 0) {
        visit_call(node.child(i), false);
      } else {
        visit(node.child(i));
      }
    }
  }

  void add(std::string name, std::vector<ParameterDigest> parameters) {
    out_.nodes.push_back({std::move(name), std::move(parameters)});
  }

 private:
  static bool is_dataset(const Node& node) {
    if (node.kind == Kind::pipeline || node.kind == Kind::name || node.kind == Kind::let_in) return true;
    const OperatorDef* def = node.kind == Kind::call ? find_operator(node.text) : nullptr;
    return def && def->kind == OperatorKind::source;
  }

  void visit_call(const Node& call, bool source) {
    const OperatorDef* def = find_operator(call.text);
    if (!def || (def->kind == OperatorKind::source) != source) {
      return add(call.text, {{"arguments", hash_of(print(call))}});
    }
    FieldList fields(*def);
    MatchedArguments matched = match_arguments(*def, fields, call);
    std::vector<ParameterDigest> parameters;
    for (size_t i = 0; i < matched.values.size(); ++i) {
      const syntax::NodePtr& value = matched.values[i];
      if (!value) continue;
      const Field::Slot& slot = fields.list[i].slot;
      bool dataset = std::holds_alternative<InputParam*>(slot) || std::holds_alternative<InputsParam*>(slot);
      if (dataset) visit(*value);
      // Which inputs are where still counts: a dict of datasets has keys, a let is named.
      parameters.push_back({fields.list[i].name, hash_of(dataset ? outline(*value) : print(*value))});
    }
    add(def->name, std::move(parameters));
  }

  static std::string outline(const Node& node) {
    if (node.kind == Kind::spread) return concat("...", outline(node.child(0)));
    if (node.kind != Kind::tuple && node.kind != Kind::dict && node.kind != Kind::list)
      return node.kind == Kind::name ? node.text : "*";
    std::string out = node.kind == Kind::tuple ? "(" : node.kind == Kind::dict ? "{" : "[";
    for (const Item& item : node.items) out += concat(quote(item.name), ":", outline(*item.value), ",");
    return out;
  }

  GraphDigest out_;
};

// The parameter that argument `i` of a call gives; null if there is none.
const Field* field_of(const FieldList& fields, const Node& call, size_t i) {
  const std::string& name = call.items[i].name;
  const int field = name.empty() ? static_cast<int>(i) : fields.find(name);
  if (field < 0 || static_cast<size_t>(field) >= fields.list.size()) return nullptr;
  return &fields.list[static_cast<size_t>(field)];
}

// The arguments of operators in canonical form.
syntax::NodePtr in_order(const syntax::NodePtr& node, CalledAs place = CalledAs::expression) {
  if (!node || node->items.empty()) return node;
  auto copy = std::make_shared<Node>(*node);
  for (size_t i = 0; i < copy->items.size(); ++i) {
    const bool step = copy->kind == Kind::pipeline && i > 0;
    syntax::NodePtr& child = copy->items[i].value;
    child = in_order(child, step ? CalledAs::step : CalledAs::expression);
  }
  return copy->kind == Kind::call && called_operator(*copy, place) ? canonical_call(copy, place) : copy;
}

bool is_empty_string(const Node& node) { return node.kind == Kind::string && node.text.empty(); }

// Stands for every string that fits.
syntax::NodePtr any_string() {
  auto out = std::make_shared<Node>();
  out->kind = Kind::string;
  out->text = "any";
  return out;
}

// The value that a let of the document gives to this name; the node itself if it is no such name.
const Node& resolved(const Node& node, const Node& root) {
  const Node* out = &node;
  while (out->kind == Kind::name && root.kind == Kind::document) {
    const auto named = [&](const Item& statement) {
      return statement.value->kind == Kind::let && statement.value->text == out->text;
    };
    const auto let = std::find_if(root.items.begin(), root.items.end(), named);
    if (let == root.items.end()) break;
    out = let->value->items[0].value.get();
  }
  return *out;
}

// For a string or several: how many they are, and which are empty. `one`: the value is no list. An expression
// that may be one stays.
syntax::NodePtr any_strings(const syntax::NodePtr& node, bool one, const Node& root) {
  if (is_empty_string(*node)) return node;
  const Node& value = resolved(*node, root);
  if (value.kind != Kind::list) return one || value.kind == Kind::string ? any_string() : node;
  if (value.items.size() == 1) return any_string();
  auto out = std::make_shared<Node>(value);
  for (Item& item : out->items) item.value = any_strings(item.value, true, root);
  return out;
}

// Weights, as far as they are written, with 1 for each that is not 0.
syntax::NodePtr which_are_zero(const syntax::NodePtr& node) {
  auto copy = std::make_shared<Node>(*node);
  double weight = static_cast<double>(node->integer);
  if (node->kind == Kind::floating)
    std::from_chars(node->text.data(), node->text.data() + node->text.size(), weight);
  if (node->kind == Kind::floating || node->kind == Kind::integer) {
    copy->kind = Kind::integer;
    copy->text.clear();
    copy->integer = weight != 0 ? 1 : 0;
  }
  if (node->kind == Kind::list) {
    for (Item& item : copy->items) item.value = which_are_zero(item.value);
  }
  return copy;
}

// Which arguments are left out: those that say only how elements are made, or also the shares of mixtures.
enum class LeftOut { how, shares };

syntax::NodePtr positional(const syntax::NodePtr& node, LeftOut left_out, const Node& root) {
  if (!node || node->items.empty()) return node;
  // A function may be called many times, each with elements of its own.
  if (node->kind == Kind::lambda) left_out = LeftOut::how;
  auto copy = std::make_shared<Node>(*node);
  copy->items.clear();
  const OperatorDef* def = node->kind == Kind::call ? find_operator(node->text) : nullptr;
  std::optional<FieldList> fields;
  if (def) fields.emplace(*def);
  for (size_t i = 0; i < node->items.size(); ++i) {
    const Field* const field = fields ? field_of(*fields, *node, i) : nullptr;
    const Allows allows = field ? field->allows : Allows();
    const bool kept = allows.but_empty || (allows.weights && left_out == LeftOut::how);
    if (allows.any_position && !kept) continue;
    copy->items.push_back(node->items[i]);
    syntax::NodePtr& value = copy->items.back().value;
    if (allows.weights && left_out == LeftOut::shares && value->kind == Kind::list)
      value = which_are_zero(value);
    const bool one = field && std::holds_alternative<StringParam*>(field->slot);
    value = allows.but_empty ? any_strings(value, one, root) : positional(value, left_out, root);
  }
  return copy;
}

// Adds the names in the tree: "x", "$x" for a param, "@x" for what was handed in.
void add_named(const Node& node, std::set<std::string>& out) {
  if (node.kind == Kind::name || node.kind == Kind::call) out.insert(node.text);
  if (node.kind == Kind::parameter) out.insert("$" + node.text);
  if (node.kind == Kind::callback) out.insert("@" + node.text);
  for (const Item& item : node.items) {
    if (item.value) add_named(*item.value, out);
  }
}

}  // namespace

uint64_t hash_of_thing(const HandedThing& thing) {
  const auto* value = std::get_if<HandedValue>(&thing);
  if (!value) return 0;
  std::string bytes = value->spec.to_string();
  for (const Tensor& tensor : value->values) {
    bytes += concat(dtype_name(tensor.dtype), tensor.shape.to_string(), hash_of_tensor(tensor));
  }
  return hash_of(bytes);
}

Canonical positional(const Canonical& tree, std::set<std::string>* mentioned) {
  auto root = std::make_shared<Node>(*positional(tree.root, LeftOut::shares, *tree.root));
  Canonical out{root, {}};
  std::set<std::string> named;
  for (size_t i = root->items.size(); root->kind == Kind::document && i-- > 0;) {
    const Node& statement = *root->items[i].value;
    if (statement.kind == Kind::let && !named.contains(statement.text)) {
      root->items.erase(root->items.begin() + static_cast<ptrdiff_t>(i));
    } else {
      add_named(statement, named);
    }
  }
  for (const auto& [word, thing] : tree.handed) {
    if (named.contains("@" + word)) out.handed.emplace(word, thing);
  }
  if (mentioned) *mentioned = std::move(named);
  return out;
}

syntax::NodePtr canonical_part(const syntax::NodePtr& node) {
  return positional(in_order(node), LeftOut::how, *node);
}

GraphDigest digest_of(const Canonical& tree) {
  Digester digester;
  const syntax::NodePtr root = nameless(tree.root);
  digester.visit(*root);
  for (const auto& [word, thing] : tree.handed) {
    if (std::holds_alternative<HandedValue>(thing))
      digester.add("@" + word, {{"value", hash_of_thing(thing)}});
  }
  return digester.take();
}

Fingerprint fingerprint_of(const Canonical& tree) {
  std::string text = print(*nameless(tree.root));
  for (const auto& [word, thing] : tree.handed) text += concat("\n@", word, " ", hash_of_thing(thing));
  return fingerprint_of(text);
}

}  // namespace weir
