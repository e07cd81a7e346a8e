#include "graph/nameless.h"

#include <map>
#include <string>

#include "core/text.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

namespace {

struct Names {
  std::map<std::string, std::string> numbers;
  int inner = 0;
  int lets = 0;

  void bind(const std::string& name) { numbers[name] = concat("%", ++inner); }
  void bind_pattern(const Node& pattern) {
    if (pattern.kind == Kind::pattern_name) bind(pattern.text);
    for (const Item& item : pattern.items) bind_pattern(*item.value);
  }
  void bind_let(const std::string& name) { numbers[name] = concat("%let", ++lets); }
};

NodePtr renamed(const NodePtr& node, const Names& names);

// Items from `first` on.
void rename_items(Node& node, size_t first, const Names& names) {
  for (size_t i = first; i < node.items.size(); ++i) {
    NodePtr& child = node.items[i].value;
    if (child) child = renamed(child, names);
  }
}

void rename_own(Node& node, const Names& names) {
  const auto found = names.numbers.find(node.text);
  if (found != names.numbers.end()) node.text = found->second;
}

void rename_document(Node& document) {
  Names names;
  for (Item& item : document.items) {
    item.value = renamed(item.value, names);
    if (item.value->kind != Kind::let) continue;
    names.bind_let(item.value->text);
    auto let = std::make_shared<Node>(*item.value);
    rename_own(*let, names);
    item.value = std::move(let);
  }
}

NodePtr renamed(const NodePtr& node, const Names& names) {
  auto out = std::make_shared<Node>(*node);
  switch (node->kind) {
    case Kind::document:
      rename_document(*out);
      return out;
    case Kind::name:
    case Kind::pattern_name:
      rename_own(*out, names);
      return out;
    case Kind::lambda: {
      Names inner = names;
      inner.bind_pattern(node->child(0));
      rename_items(*out, 0, inner);
      return out;
    }
    case Kind::let_in: {
      Names inner = names;
      out->items[0].value = renamed(node->items[0].value, names);
      inner.bind(node->text);
      rename_own(*out, inner);
      rename_items(*out, 1, inner);
      return out;
    }
    default:
      rename_items(*out, 0, names);
      return out;
  }
}

}  // namespace

NodePtr nameless(const NodePtr& node) { return renamed(node, Names()); }

}  // namespace weir
