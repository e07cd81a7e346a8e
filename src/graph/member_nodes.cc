#include "graph/member_nodes.h"

#include <algorithm>

#include "core/text.h"

namespace weir {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::NodePtr;

void MemberNodes::set(std::string key, NodePtr node, const Scope& scope) {
  if (empty_spec_.kind == Spec::Kind::dict) {
    for (Member& member : list_) {
      if (member.key != key) continue;
      member = {std::move(key), std::move(node), &scope};
      return;
    }
  }
  list_.push_back({std::move(key), std::move(node), &scope});
}

Status MemberNodes::add(const Node& node, const Scope& scope) {
  if (node.kind == Kind::dict) empty_spec_.kind = Spec::Kind::dict;
  for (const Item& item : node.items) {
    if (item.value->kind == Kind::spread) {
      WEIR_TRY(spread(item.value->child(0), scope));
    } else {
      set(item.name, item.value, scope);
    }
  }
  return Status();
}

void MemberNodes::add_value(const Node& node, const Spec& spec, const Scope& scope) {
  const bool dict = spec.kind == Spec::Kind::dict;
  if (dict) empty_spec_.kind = Spec::Kind::dict;
  for (size_t i = 0; i < spec.children.size(); ++i) {
    auto member = std::make_shared<Node>(
        Node{.kind = dict ? Kind::field : Kind::position, .span = node.span, .integer = i});
    if (dict) member->text = spec.keys[i];
    member->depth = static_cast<uint8_t>(std::min(node.depth + 1, 255));
    member->add(std::make_shared<Node>(node));
    set(dict ? spec.keys[i] : std::string(), std::move(member), scope);
  }
}

Status MemberNodes::spread(const Node& value, const Scope& scope) {
  if (value.kind == Kind::dict) return add(value, scope);
  if (value.kind == Kind::name) {
    // Read as it was written, so that what is known of each dataset stays known.
    const Scope::Let let = scope.find_let(value.text);
    if (let.value && let.value->kind == Kind::dict) return add(*let.value, scopes_.emplace_back(scope, let));
  }
  WEIR_ASSIGN(ExpressionRef made, compile_expression(context_, scope, value, path_));
  if (made->spec().kind != Spec::Kind::dict)
    return error_at(value, expected_found("a dict to spread", made->spec().to_string()));
  add_value(value, made->spec(), scope);
  return Status();
}

}  // namespace weir
