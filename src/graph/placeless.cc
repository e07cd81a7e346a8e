#include "graph/placeless.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/arguments.h"
#include "ops/list.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

// How many names and operators lie between a string and its use; what is further away stays as written.
constexpr int kMostSteps = 200;
constexpr size_t kWhole = SIZE_MAX;

// Keys and positions, outermost first.
using Path = std::vector<std::string>;

Path within(std::string key, const Path& rest) {
  Path out{std::move(key)};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

struct Binding;

// A part of a value, or of the elements of a dataset; of a pipeline, that of its first `steps` calls.
struct Part {
  // Null if nothing is known of it.
  const Node* value = nullptr;
  size_t steps = kWhole;
  const Binding* around = nullptr;
  Path path{};

  Part in(std::string key) const {
    Part out = *this;
    out.path.push_back(std::move(key));
    return out;
  }
};

// A name and its value.
struct Binding {
  const Binding* outer;
  std::string name;
  Part part;
};

const HandedValue* strings_of(const Handed& handed, const std::string& word) {
  const auto found = handed.find(word);
  const auto* value = found == handed.end() ? nullptr : std::get_if<HandedValue>(&found->second);
  return value && value->spec.is_tensor() && value->spec.dtype == DType::string ? value : nullptr;
}

// Finds the strings that name files.
class Finder {
 public:
  explicit Finder(const Handed& handed) : handed_(handed) {}

  void walk(const Node& node, const Binding* around) {
    if (node.kind == Kind::parameter) ++uses_[node.text];
    if (node.kind == Kind::document) return walk_document(node, around);
    if (node.kind == Kind::pipeline) return walk_pipeline(node, around);
    if (node.kind == Kind::call) return walk_call(node, around, {});
    if (node.kind == Kind::lambda) return walk(node.child(1), bound(node.child(0), {}, around));
    if (node.kind == Kind::let_in) {
      walk(node.child(0), around);
      return walk(node.child(1), named(node.text, {&node.child(0), kWhole, around}, around));
    }
    for (const Item& item : node.items) {
      if (item.value) walk(*item.value, around);
    }
  }

  // How many bytes of a string, or of each string of a handed value, say where files are.
  size_t cut_of(const Node& node) const { return found_in(cuts_, &node); }
  size_t cut_of(const std::string& word) const { return found_in(word_cuts_, word); }

  std::map<std::string, Naming> params() const {
    std::map<std::string, Naming> out;
    for (const auto& [name, found] : params_) {
      const Naming& first = found.begin()->second;
      const bool alike =
          std::all_of(found.begin(), found.end(), [&](const auto& use) { return use.second == first; });
      if (alike && found.size() == uses_.at(name)) out[name] = first;
    }
    return out;
  }

 private:
  template <class Map, class Key>
  static size_t found_in(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
  }

  const Binding* named(const std::string& name, Part part, const Binding* outer) {
    return &bindings_.emplace_back(Binding{outer, name, std::move(part)});
  }

  // Binds the names of a lambda's pattern.
  const Binding* bound(const Node& pattern, const Part& part, const Binding* outer) {
    if (pattern.kind == Kind::pattern_name) return named(pattern.text, part, outer);
    const bool tuple = pattern.kind == Kind::pattern_tuple;
    for (size_t i = 0; i < pattern.items.size(); ++i) {
      const Item& item = pattern.items[i];
      const bool known = tuple || item.value->kind != Kind::pattern_rest;
      outer = bound(*item.value, known ? part.in(tuple ? std::to_string(i) : item.name) : Part(), outer);
    }
    return outer;
  }

  void walk_document(const Node& document, const Binding* around) {
    for (const Item& item : document.items) {
      walk(*item.value, around);
      if (item.value->kind == Kind::let)
        around = named(item.value->text, {&item.value->child(0), kWhole, around}, around);
    }
  }

  void walk_pipeline(const Node& pipeline, const Binding* around) {
    walk(pipeline.child(0), around);
    for (size_t i = 1; i < pipeline.items.size(); ++i)
      walk_call(pipeline.child(i), around, {&pipeline, i - 1, around});
  }

  // `input`: what is piped into it.
  void walk_call(const Node& call, const Binding* around, const Part& input) {
    const OperatorDef* def = called_operator(call, input.value ? CalledAs::step : CalledAs::expression);
    if (!def) return walk_function(call, around);
    const FieldList fields(*def);
    for (size_t i = 0; i < call.items.size(); ++i) {
      const Node& value = *call.items[i].value;
      const Field* const field = field_of(fields, call, i);
      const Naming naming = !field                                             ? Naming::nothing
                            : std::holds_alternative<FilesParam*>(field->slot) ? Naming::files
                                                                               : field->allows.names;
      if (naming != Naming::nothing) mark({&value, kWhole, around}, naming);
      const auto* const slot = field ? std::get_if<FunctionParam*>(&field->slot) : nullptr;
      const bool takes_input = slot && ((*slot)->takes == FunctionParam::Takes::element ||
                                        (*slot)->takes == FunctionParam::Takes::dataset);
      if (takes_input && value.kind == Kind::lambda) {
        walk(value.child(1), bound(value.child(0), input, around));
      } else {
        walk(value, around);
      }
    }
  }

  void walk_function(const Node& call, const Binding* around) {
    const Kernel* const kernel = find_kernel(call.text);
    for (size_t i = 0; i < call.items.size(); ++i) {
      const Item& item = call.items[i];
      const auto* const param = kernel ? param_of(*kernel, item, i) : nullptr;
      if (param && param->names_files) mark({item.value.get(), kWhole, around}, Naming::files);
      walk(*item.value, around);
    }
  }

  static const Field* field_of(const FieldList& fields, const Node& call, size_t i) {
    const std::string& name = call.items[i].name;
    const int at = name.empty() ? static_cast<int>(i) : fields.find(name);
    return at < 0 || static_cast<size_t>(at) >= fields.list.size() ? nullptr
                                                                   : &fields.list[static_cast<size_t>(at)];
  }

  static const KernelParam* param_of(const Kernel& kernel, const Item& item, size_t i) {
    if (item.name.empty()) return i < kernel.params.size() ? &kernel.param(i) : nullptr;
    const auto found = std::find_if(kernel.params.begin(), kernel.params.end(),
                                    [&](const KernelParam& param) { return item.name == param.name; });
    return found == kernel.params.end() ? nullptr : found;
  }

  // The strings of one argument.
  void mark(const Part& part, Naming naming) {
    seen_.clear();
    strings_.clear();
    words_.clear();
    follow(part, naming, 0);
    std::vector<std::string_view> names;
    for (const Node* string : strings_) names.push_back(string->text);
    for (const std::string& word : words_) {
      for (const Str& name : strings_of(handed_, word)->values[0].entries<const Str>())
        names.push_back(name.view());
    }
    const size_t size = place_size(names, naming);
    for (const Node* string : strings_) keep_least(cuts_, string, size);
    for (const std::string& word : words_) keep_least(word_cuts_, word, size);
  }

  // Of a string that several arguments use.
  template <class Map, class Key>
  static void keep_least(Map& cuts, const Key& key, size_t size) {
    const auto [known, added] = cuts.try_emplace(key, size);
    if (!added) known->second = std::min(known->second, size);
  }

  // Finds the strings that a value consists of, or the elements of a dataset.
  void follow(const Part& part, Naming naming, int steps) {
    if (part.value == nullptr || steps == kMostSteps) return;
    if (!seen_.emplace(part.value, part.steps, naming, part.path).second) return;
    const Node& node = *part.value;
    const auto inside = [&](const Node& child, const Path& path) {
      follow({&child, kWhole, part.around, path}, naming, steps + 1);
    };
    switch (node.kind) {
      case Kind::string:
      case Kind::parameter:
      case Kind::callback:
        return part.path.empty() ? found(node, naming) : void();
      case Kind::list:
        for (const Item& item : node.items) inside(*item.value, part.path);
        return;
      case Kind::tuple:
      case Kind::dict:
        return follow_member(part, naming, steps);
      case Kind::name:
        return follow_name(part, naming, steps);
      case Kind::field:
        return inside(node.child(0), within(node.text, part.path));
      case Kind::position:
        return inside(node.child(0), within(std::to_string(node.integer), part.path));
      case Kind::conditional:
        inside(node.child(1), part.path);
        return inside(node.child(2), part.path);
      case Kind::let_in:
        return follow({&node.child(1), kWhole,
                       named(node.text, {&node.child(0), kWhole, part.around}, part.around), part.path},
                      naming, steps + 1);
      case Kind::binary:
        return node.op == syntax::Op::add && part.path.empty() ? follow_joined(part, naming, steps) : void();
      case Kind::pipeline:
        return follow_pipeline(part, naming, steps);
      case Kind::call:
        // A source of the values that it is given.
        return gives_value(node) ? inside(node.child(0), part.path) : void();
      default:
        return;
    }
  }

  void found(const Node& node, Naming naming) {
    if (node.kind == Kind::parameter) {
      params_[node.text].emplace(&node, naming);
    } else if (node.kind == Kind::callback) {
      if (strings_of(handed_, node.text)) words_.push_back(node.text);
    } else if (naming == Naming::folders) {
      keep_least(cuts_, &node, node.text.size());
    } else {
      strings_.push_back(&node);
    }
  }

  void follow_member(const Part& part, Naming naming, int steps) {
    if (part.path.empty()) return;
    const Node& node = *part.value;
    for (size_t i = 0; i < node.items.size(); ++i) {
      const std::string& key = part.path[0];
      if (node.kind == Kind::tuple ? std::to_string(i) != key : node.items[i].name != key) continue;
      follow({node.items[i].value.get(), kWhole, part.around, {part.path.begin() + 1, part.path.end()}},
             naming, steps + 1);
    }
  }

  void follow_name(const Part& part, Naming naming, int steps) {
    const Binding* around = part.around;
    while (around && around->name != part.value->text) around = around->outer;
    if (!around) return;
    Part meant = around->part;
    meant.path.insert(meant.path.end(), part.path.begin(), part.path.end());
    follow(meant, naming, steps + 1);
  }

  // Only what the name begins with may say where the file is.
  void follow_joined(const Part& part, Naming naming, int steps) {
    const Node* sum = part.value;
    while (sum->child(0).kind == Kind::binary && sum->child(0).op == syntax::Op::add) sum = &sum->child(0);
    const Node& rest = sum->child(1);
    const bool in_folder = rest.kind == Kind::string && rest.text.starts_with('/');
    follow({&sum->child(0), kWhole, part.around}, in_folder ? Naming::folders : naming, steps + 1);
  }

  void follow_pipeline(const Part& part, Naming naming, int steps) {
    const Node& pipeline = *part.value;
    for (size_t i = std::min(part.steps, pipeline.items.size() - 1); i > 0; --i) {
      const Node& call = pipeline.child(i);
      const OperatorDef* def = called_operator(call, CalledAs::step);
      if (!def) return;
      const Columns columns = def->typing.columns;
      if (def->typing.slice || columns == Columns::passed || columns == Columns::judged) continue;
      if (columns != Columns::mapped) return;
      const auto lambda = std::find_if(call.items.begin(), call.items.end(),
                                       [](const Item& item) { return item.value->kind == Kind::lambda; });
      if (lambda == call.items.end()) return;
      const Part input{&pipeline, i - 1, part.around};
      const Binding* inner = bound(lambda->value->child(0), input, part.around);
      return follow({&lambda->value->child(1), kWhole, inner, part.path}, naming, steps + 1);
    }
    follow({&pipeline.child(0), kWhole, part.around, part.path}, naming, steps + 1);
  }

  static bool gives_value(const Node& call) {
    const OperatorDef* def = called_operator(call, CalledAs::expression);
    if (!def || def->kind != OperatorKind::source || call.items.empty()) return false;
    const FieldList fields(*def);
    const Field* const first = field_of(fields, call, 0);
    return first && std::holds_alternative<ValueParam*>(first->slot) &&
           first->allows.names == Naming::nothing;
  }

  const Handed& handed_;
  std::deque<Binding> bindings_;
  std::map<const Node*, size_t> cuts_;
  std::map<std::string, size_t> word_cuts_;
  // The uses of each $param as a name, and how many uses it has.
  std::map<std::string, std::set<std::pair<const Node*, Naming>>> params_;
  std::map<std::string, size_t> uses_;
  // Of the argument that is followed.
  std::set<std::tuple<const Node*, size_t, Naming, Path>> seen_;
  std::vector<const Node*> strings_;
  std::vector<std::string> words_;
};

NodePtr without_places(const NodePtr& node, const Finder& finder) {
  if (const size_t cut = finder.cut_of(*node); cut > 0) {
    auto out = std::make_shared<Node>(*node);
    out->text.erase(0, cut);
    return out;
  }
  std::shared_ptr<Node> changed;
  for (size_t i = 0; i < node->items.size(); ++i) {
    const NodePtr& child = node->items[i].value;
    NodePtr plain = child ? without_places(child, finder) : nullptr;
    if (plain == child) continue;
    if (!changed) changed = std::make_shared<Node>(*node);
    changed->items[i].value = std::move(plain);
  }
  return changed ? changed : node;
}

}  // namespace

Canonical placeless(const Canonical& tree, std::map<std::string, Naming>* params) {
  Finder finder(tree.handed);
  finder.walk(*tree.root, nullptr);
  if (params) *params = finder.params();
  Canonical out{without_places(tree.root, finder), tree.handed};
  for (auto& [word, thing] : out.handed) {
    const size_t cut = finder.cut_of(word);
    if (cut == 0) continue;
    auto& value = std::get<HandedValue>(thing);
    std::vector<std::string_view> names;
    for (const Str& name : value.values[0].entries<const Str>()) names.push_back(name.view().substr(cut));
    value.values[0] = Tensor::strings(names, value.values[0].shape);
  }
  return out;
}

}  // namespace weir
