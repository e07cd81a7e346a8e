#include "syntax/functions.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"

namespace weir::syntax {

namespace {

using Names = std::set<std::string, std::less<>>;

// Nodes that bind names in a part of themselves: lambdas and `let … in`.
void add_pattern_names(const Node& pattern, Names& out) {
  if (pattern.kind == Kind::pattern_name) out.insert(pattern.text);
  for (const Item& item : pattern.items) add_pattern_names(*item.value, out);
}

void add_free_names(const Node& node, Names& bound, Names& out) {
  if (node.kind == Kind::name && bound.count(node.text) == 0) out.insert(node.text);
  // The callee may be a function.
  if (node.kind == Kind::call && bound.count(node.text) == 0) out.insert(node.text);
  if (node.kind == Kind::lambda) {
    Names inner = bound;
    add_pattern_names(node.child(0), inner);
    return add_free_names(node.child(1), inner, out);
  }
  if (node.kind == Kind::let_in) {
    add_free_names(node.child(0), bound, out);
    Names inner = bound;
    inner.insert(node.text);
    return add_free_names(node.child(1), inner, out);
  }
  for (const Item& item : node.items) {
    if (item.value) add_free_names(*item.value, bound, out);
  }
}

Names free_names(const Node& node) {
  Names bound;
  Names out;
  add_free_names(node, bound, out);
  return out;
}

// How often a name is evaluated: 2 where that depends on the data, as in a lambda and the branches of an
// `if`.
int count_uses(const Node& node, const std::string& name, bool repeated) {
  if (node.kind == Kind::name && node.text == name) return repeated ? 2 : 1;
  if (node.kind == Kind::let_in && node.text == name) return count_uses(node.child(0), name, repeated);
  if (node.kind == Kind::lambda) {
    Names bound;
    add_pattern_names(node.child(0), bound);
    return bound.count(name) != 0 ? 0 : count_uses(node.child(1), name, true);
  }
  int uses = 0;
  for (size_t i = 0; i < node.items.size(); ++i) {
    const bool chosen = node.kind == Kind::conditional && i > 0;
    if (node.items[i].value) uses += count_uses(*node.items[i].value, name, repeated || chosen);
  }
  return uses;
}

// True if writing it twice costs nothing and means the same.
bool is_plain(const Node& node) {
  switch (node.kind) {
    case Kind::name:
    case Kind::parameter:
    case Kind::callback:
    case Kind::string:
    case Kind::boolean:
    case Kind::automatic:
    case Kind::none:
    case Kind::dtype:
      return true;
    case Kind::field:
    case Kind::position:
      return is_plain(node.child(0));
    default:
      return is_literal(node);
  }
}

struct Function {
  NodePtr lambda;
  // What its body refers to.
  Names free;
};

// One walk over a document.
class Writer {
 public:
  Result<NodePtr> document(const Node& root) {
    add_names(root);
    Node out = root;
    out.items.clear();
    for (const Item& item : root.items) {
      const Node& statement = *item.value;
      if (statement.kind == Kind::let && statement.child(0).kind == Kind::lambda) {
        define(statement);
        continue;
      }
      if (statement.kind != Kind::let) {
        out.items.push_back({item.name, item.name_span, walk(item.value)});
        continue;
      }
      auto let = std::make_shared<Node>(statement);
      let->items[0].value = walk(statement.items[0].value);
      functions_.erase(statement.text);
      // A function defined earlier refers to the name that it could see.
      if (captured_.count(statement.text) != 0)
        let->text = rename(statement.text);
      else
        renamed_.erase(statement.text);
      out.items.push_back({"", {}, finish(std::move(let))});
    }
    if (!status_.ok()) return status_;
    return finish(std::make_shared<Node>(std::move(out)));
  }

 private:
  void add_names(const Node& node) {
    if (node.kind == Kind::name || node.kind == Kind::pattern_name || node.kind == Kind::let ||
        node.kind == Kind::let_in)
      names_.insert(node.text);
    for (const Item& item : node.items) {
      if (item.value) add_names(*item.value);
    }
  }

  using Renames = std::map<std::string, NodePtr, std::less<>>;

  void define(const Node& statement) {
    // Calls of earlier functions are written out now, so that the body stands on its own.
    NodePtr lambda = walk_lambda(statement.items[0].value);
    Function function{lambda, free_names(*lambda)};
    captured_.insert(function.free.begin(), function.free.end());
    functions_[statement.text] = std::move(function);
    renamed_.erase(statement.text);
  }

  NodePtr fail(Span span, const Mistake& mistake, NodePtr instead) {
    status_ = both(status_, error_at(span, mistake));
    return instead;
  }

  // Sets depth and size of a new node.
  NodePtr finish(std::shared_ptr<Node> node) {
    int depth = 0;
    for (const Item& item : node->items) {
      if (item.value) depth = std::max<int>(depth, item.value->depth);
    }
    if (depth >= kMaxDepth || ++written_ > kMaxWrittenNodes) {
      if (!too_large_) {
        too_large_ = true;
        fail(
            node->span,
            depth >= kMaxDepth
                ? expected_found(concat("functions that write out to at most ", kMaxDepth, " levels"), "more")
                : expected_found(concat("functions that write out to at most ", kMaxWrittenNodes, " parts"),
                                 "more"),
            nullptr);
      }
      // Any small node will do: the text is refused.
      auto small = std::make_shared<Node>();
      small->kind = Kind::none;
      small->span = node->span;
      return small;
    }
    node->depth = static_cast<uint8_t>(depth + 1);
    return node;
  }

  std::string fresh(const std::string& name) {
    for (int number = 2;; ++number) {
      std::string out = concat(name, "_", number);
      if (names_.insert(out).second) return out;
    }
  }

  // From here on NAME is written as another name.
  std::string rename(const std::string& name) {
    std::string out = fresh(name);
    auto node = std::make_shared<Node>();
    node->kind = Kind::name;
    node->text = out;
    renamed_[name] = node;
    return out;
  }

  NodePtr walk_children(const NodePtr& node) {
    std::shared_ptr<Node> changed;
    for (size_t i = 0; i < node->items.size(); ++i) {
      if (!node->items[i].value) continue;
      NodePtr child = walk(node->items[i].value);
      if (child == node->items[i].value) continue;
      if (!changed) changed = std::make_shared<Node>(*node);
      changed->items[i].value = std::move(child);
    }
    return changed ? finish(std::move(changed)) : node;
  }

  NodePtr walk(const NodePtr& node) {
    if (too_large_) return node;
    switch (node->kind) {
      case Kind::name: {
        if (auto found = renamed_.find(node->text); found != renamed_.end()) return found->second;
        if (functions_.count(node->text) != 0) {
          return fail(node->span,
                      {concat(node->text, " is a function"), concat("call it, as in ", node->text, "(…)")},
                      node);
        }
        return node;
      }
      case Kind::lambda:
        return walk_lambda(node);
      case Kind::let_in: {
        auto out = std::make_shared<Node>(*node);
        out->items[0].value = walk(node->items[0].value);
        Shadow shadow(*this, {node->text});
        out->text = shadow.name(node->text);
        out->items[1].value = walk(node->items[1].value);
        return finish(std::move(out));
      }
      case Kind::pipeline:
        return walk_pipeline(*node);
      case Kind::call:
        if (auto found = functions_.find(node->text); found != functions_.end())
          return call(node->text, found->second, *node, nullptr);
        return walk_arguments(node);
      default:
        return walk_children(node);
    }
  }

  // The name of a function may stand for a lambda.
  NodePtr walk_arguments(const NodePtr& node) {
    auto out = std::make_shared<Node>(*node);
    for (Item& item : out->items) {
      auto function = item.value->kind == Kind::name && renamed_.count(item.value->text) == 0
                          ? functions_.find(item.value->text)
                          : functions_.end();
      item.value = function == functions_.end() ? walk(item.value) : function->second.lambda;
    }
    return finish(std::move(out));
  }

  // Names that are bound while it lives. They hide functions, and are renamed if a function called inside
  // means something else by them.
  class Shadow {
   public:
    Shadow(Writer& writer, const Names& names)
        : writer_(writer), functions_(writer.functions_), renamed_(writer.renamed_) {
      for (const std::string& name : names) {
        writer.functions_.erase(name);
        writer.renamed_.erase(name);
      }
      for (const std::string& name : names) {
        const bool meant = std::any_of(writer.functions_.begin(), writer.functions_.end(),
                                       [&](const auto& known) { return known.second.free.count(name) != 0; });
        if (meant) writer.rename(name);
      }
    }
    ~Shadow() {
      writer_.functions_ = std::move(functions_);
      writer_.renamed_ = std::move(renamed_);
    }
    Shadow(const Shadow&) = delete;
    Shadow& operator=(const Shadow&) = delete;
    std::string name(const std::string& written) const {
      auto found = writer_.renamed_.find(written);
      return found == writer_.renamed_.end() ? written : found->second->text;
    }

   private:
    Writer& writer_;
    std::map<std::string, Function, std::less<>> functions_;
    Renames renamed_;
  };

  NodePtr rename_pattern(const NodePtr& pattern, const Shadow& shadow) {
    auto out = std::make_shared<Node>(*pattern);
    if (pattern->kind == Kind::pattern_name) out->text = shadow.name(pattern->text);
    for (Item& item : out->items) item.value = rename_pattern(item.value, shadow);
    return out;
  }

  NodePtr walk_lambda(const NodePtr& node) {
    Names bound;
    add_pattern_names(node->child(0), bound);
    Shadow shadow(*this, bound);
    auto out = std::make_shared<Node>(*node);
    out->items[0].value = rename_pattern(node->items[0].value, shadow);
    out->items[1].value = walk(node->items[1].value);
    return finish(std::move(out));
  }

  NodePtr walk_pipeline(const Node& node) {
    NodePtr piped = walk(node.items[0].value);
    for (size_t i = 1; i < node.items.size(); ++i) {
      const NodePtr& stage = node.items[i].value;
      auto found = functions_.find(stage->text);
      piped = found != functions_.end() ? call(stage->text, found->second, *stage, std::move(piped))
                                        : pipe(std::move(piped), walk_arguments(stage), node.span);
    }
    return piped;
  }

  // (a | b()) | c() is a | b() | c().
  NodePtr pipe(NodePtr head, NodePtr stage, Span span) {
    auto out = std::make_shared<Node>();
    out->kind = Kind::pipeline;
    out->span = span;
    if (head->kind == Kind::pipeline) {
      out->items = head->items;
    } else {
      out->add(std::move(head));
    }
    out->add(std::move(stage));
    return finish(std::move(out));
  }

  // The body with the arguments substituted.
  NodePtr call(const std::string& name, const Function function, const Node& node, NodePtr piped) {
    const Node& pattern = function.lambda->child(0);
    std::vector<NodePtr> parameters;
    if (pattern.kind == Kind::pattern_tuple) {
      for (const Item& item : pattern.items) parameters.push_back(item.value);
    } else {
      parameters.push_back(function.lambda->items[0].value);
    }
    std::vector<NodePtr> arguments(parameters.size());
    size_t position = 0;
    if (piped && !parameters.empty()) arguments[position++] = piped;
    const size_t given = node.items.size() + (piped ? 1 : 0);
    for (const Item& item : node.items) {
      size_t at = position;
      if (!item.name.empty()) {
        at = 0;
        while (at < parameters.size() &&
               (parameters[at]->kind != Kind::pattern_name || parameters[at]->text != item.name)) {
          ++at;
        }
      } else {
        ++position;
      }
      if (at >= parameters.size() || arguments[at]) return wrong_call(name, parameters.size(), given, node);
      arguments[at] = walk(item.value);
    }
    if (std::any_of(arguments.begin(), arguments.end(), [](const NodePtr& argument) { return !argument; }))
      return wrong_call(name, parameters.size(), given, node);
    return substitute(parameters, std::move(arguments), function.lambda->items[1].value, node.span);
  }

  NodePtr wrong_call(const std::string& name, size_t takes, size_t given, const Node& node) {
    return fail(node.span,
                expected_found(concat(takes, takes == 1 ? " argument for " : " arguments for ", name,
                                      ", a function of this document"),
                               concat(given), "the dataset before a '|' is the first one"),
                std::make_shared<Node>(node));
  }

  // Replaces the parameters in a body, in which nothing else is left for a call to write out.
  NodePtr substitute(const std::vector<NodePtr>& parameters, std::vector<NodePtr> arguments,
                     const NodePtr& body, Span span) {
    Renames places;
    std::vector<std::pair<std::string, NodePtr>> lets;
    for (size_t i = 0; i < parameters.size(); ++i) {
      NodePtr argument = std::move(arguments[i]);
      const Node& parameter = *parameters[i];
      const bool named = parameter.kind == Kind::pattern_name;
      // One that is used once is evaluated there. A value that isn't used may still fail.
      const int uses = named ? count_uses(*body, parameter.text, false) : 2;
      if (!is_plain(*argument) && (uses > 1 || (uses == 0 && argument->kind != Kind::lambda))) {
        std::string name = fresh(named ? parameter.text : "value");
        auto use = std::make_shared<Node>();
        use->kind = Kind::name;
        use->text = name;
        use->span = argument->span;
        lets.emplace_back(std::move(name), std::move(argument));
        argument = std::move(use);
      }
      place(parameter, argument, places);
    }
    Names meant;
    for (const auto& [name, value] : places) {
      const Names free = free_names(*value);
      meant.insert(free.begin(), free.end());
    }
    NodePtr out = replaced(body, places, meant);
    while (!lets.empty()) {
      auto let = std::make_shared<Node>();
      let->kind = Kind::let_in;
      let->span = span;
      let->text = std::move(lets.back().first);
      let->add(std::move(lets.back().second));
      let->add(std::move(out));
      lets.pop_back();
      out = finish(std::move(let));
    }
    return out;
  }

  // What the rest of a pattern stands for: the value without the keys that the pattern names.
  NodePtr others(const Node& pattern, const NodePtr& value) {
    auto keys = std::make_shared<Node>(Node{.kind = Kind::list, .span = value->span});
    for (const Item& item : pattern.items) {
      if (item.value->kind == Kind::pattern_rest) continue;
      auto key = std::make_shared<Node>(Node{.kind = Kind::string, .span = value->span, .text = item.name});
      keys->add(finish(std::move(key)));
    }
    auto call = std::make_shared<Node>(Node{.kind = Kind::call, .span = value->span, .text = "without"});
    call->add(value);
    call->add(finish(std::move(keys)));
    return finish(std::move(call));
  }

  // Adds what the names of a pattern stand for, as parts of a value.
  void place(const Node& pattern, const NodePtr& value, Renames& places) {
    if (pattern.kind == Kind::pattern_name) places[pattern.text] = value;
    for (size_t i = 0; i < pattern.items.size(); ++i) {
      if (pattern.items[i].value->kind == Kind::pattern_rest) {
        place(pattern.child(i).child(0), others(pattern, value), places);
        continue;
      }
      auto part = std::make_shared<Node>();
      part->kind = pattern.kind == Kind::pattern_tuple ? Kind::position : Kind::field;
      part->integer = i;
      part->text = pattern.items[i].name;
      part->span = value->span;
      part->add(value);
      place(*pattern.items[i].value, finish(std::move(part)), places);
    }
  }

  // Returns `node` with names replaced; names that it binds and that the replacements mean are renamed.
  NodePtr replaced(const NodePtr& node, const Renames& places, const Names& meant) {
    if (too_large_) return node;
    if (node->kind == Kind::name) {
      auto found = places.find(node->text);
      return found == places.end() ? node : found->second;
    }
    auto out = std::make_shared<Node>(*node);
    if (node->kind == Kind::lambda || node->kind == Kind::let_in) {
      Renames inner = places;
      Names bound;
      if (node->kind == Kind::lambda)
        add_pattern_names(node->child(0), bound);
      else
        bound.insert(node->text);
      for (const std::string& name : bound) {
        inner.erase(name);
        if (meant.count(name) == 0) continue;
        auto other = std::make_shared<Node>();
        other->kind = Kind::name;
        other->text = fresh(name);
        inner[name] = std::move(other);
      }
      out->items[0].value = node->kind == Kind::lambda ? renamed_pattern(node->items[0].value, inner)
                                                       : replaced(node->items[0].value, places, meant);
      if (node->kind == Kind::let_in) {
        auto found = inner.find(node->text);
        if (found != inner.end()) out->text = found->second->text;
      }
      out->items[1].value = replaced(node->items[1].value, inner, meant);
      return finish(std::move(out));
    }
    for (Item& item : out->items) {
      if (item.value) item.value = replaced(item.value, places, meant);
    }
    // A pipeline that heads another pipeline is merged with it.
    if (out->kind == Kind::pipeline && out->child(0).kind == Kind::pipeline) {
      const NodePtr head = out->items[0].value;
      out->items.erase(out->items.begin());
      out->items.insert(out->items.begin(), head->items.begin(), head->items.end());
    }
    return finish(std::move(out));
  }

  static NodePtr renamed_pattern(const NodePtr& pattern, const Renames& renames) {
    auto out = std::make_shared<Node>(*pattern);
    if (pattern->kind == Kind::pattern_name) {
      auto found = renames.find(pattern->text);
      if (found != renames.end()) out->text = found->second->text;
    }
    for (Item& item : out->items) item.value = renamed_pattern(item.value, renames);
    return out;
  }

  std::map<std::string, Function, std::less<>> functions_;
  // Names that are currently written as others.
  Renames renamed_;
  // What the functions so far refer to, and all names that are taken.
  Names captured_;
  Names names_;
  size_t written_ = 0;
  bool too_large_ = false;
  Status status_;
};

bool has_functions(const Node& root) {
  return std::any_of(root.items.begin(), root.items.end(), [](const Item& item) {
    return item.value->kind == Kind::let && item.value->child(0).kind == Kind::lambda;
  });
}

}  // namespace

Result<NodePtr> write_out_functions(const NodePtr& root) {
  if (!has_functions(*root)) return root;
  return Writer().document(*root);
}

}  // namespace weir::syntax
