#include "syntax/tree.h"

namespace weir::syntax {

std::string_view op_text(Op op) {
  switch (op) {
    case Op::none:
      return "";
    case Op::logical_or:
      return "or";
    case Op::logical_and:
      return "and";
    case Op::logical_not:
      return "not";
    case Op::equal:
      return "==";
    case Op::not_equal:
      return "!=";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::greater:
      return ">";
    case Op::greater_equal:
      return ">=";
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::floor_divide:
      return "//";
    case Op::remainder:
      return "%";
    case Op::negate:
      return "-";
    case Op::power:
      return "**";
  }
  return "";
}

bool equal(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.op != b.op || a.dtype != b.dtype || a.integer != b.integer || a.text != b.text ||
      !(a.shape == b.shape) || a.items.size() != b.items.size()) {
    return false;
  }
  for (size_t i = 0; i < a.items.size(); ++i) {
    const Item& x = a.items[i];
    const Item& y = b.items[i];
    if (x.name != y.name || (x.value == nullptr) != (y.value == nullptr)) return false;
    if (x.value != nullptr && !equal(*x.value, *y.value)) return false;
  }
  return true;
}

bool is_literal(const Node& node) {
  switch (node.kind) {
    case Kind::integer:
    case Kind::floating:
      return true;
    case Kind::unary:
      return node.op == Op::negate &&
             (node.child(0).kind == Kind::integer || node.child(0).kind == Kind::floating);
    case Kind::list:
      for (const Item& item : node.items) {
        if (!is_literal(*item.value)) return false;
      }
      return true;
    default:
      return false;
  }
}

}  // namespace weir::syntax
