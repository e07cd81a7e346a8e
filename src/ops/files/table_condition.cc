#include "ops/files/table_condition.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/text.h"

namespace weir {

namespace {

using syntax::Item;
using syntax::Kind;
using syntax::Node;
using syntax::Op;

constexpr std::string_view kAlways = "true\n";

std::string word(std::string_view text) { return concat(text.size(), ":", text, "\n"); }

// The comparison with its sides exchanged.
Op mirrored(Op op) {
  switch (op) {
    case Op::less:
      return Op::greater;
    case Op::less_equal:
      return Op::greater_equal;
    case Op::greater:
      return Op::less;
    case Op::greater_equal:
      return Op::less_equal;
    default:
      return op;
  }
}

class Condition {
 public:
  Condition(const Node& pattern, std::span<const FieldType> columns) : pattern_(pattern), columns_(columns) {}

  std::string of(const Node& node) const {
    if (node.kind != Kind::binary) return std::string(kAlways);
    if (node.op == Op::logical_and || node.op == Op::logical_or) {
      std::string left = of(node.child(0));
      std::string right = of(node.child(1));
      const bool both = node.op == Op::logical_and;
      if (left == kAlways) return both ? right : left;
      if (right == kAlways) return both ? left : right;
      return concat(both ? "and\n" : "or\n", left, right);
    }
    if (node.op < Op::equal || node.op > Op::greater_equal) return std::string(kAlways);
    std::string out = compare(node.op, node.child(0), node.child(1));
    if (out.empty()) out = compare(mirrored(node.op), node.child(1), node.child(0));
    return out.empty() ? std::string(kAlways) : out;
  }

 private:
  std::string compare(Op op, const Node& left, const Node& right) const {
    const std::string path = path_of(left);
    const std::string value = constant(right);
    if (path.empty() || value.empty()) return "";
    return concat(syntax::op_text(op), "\n", word(path), value);
  }

  // The column that an expression is; empty if it is none.
  std::string path_of(const Node& node) const {
    if (node.kind == Kind::name) return name_in_pattern(node.text);
    if (node.kind != Kind::field) return "";
    const Node& of = node.child(0);
    const bool whole =
        of.kind == Kind::name && pattern_.kind == Kind::pattern_name && of.text == pattern_.text;
    return whole ? known(node.text) : "";
  }
  std::string name_in_pattern(const std::string& name) const {
    if (pattern_.kind != Kind::pattern_dict) return "";
    for (const Item& item : pattern_.items) {
      const bool here = item.value && item.value->kind == Kind::pattern_name && item.value->text == name;
      if (here) return known(item.name);
    }
    return "";
  }
  std::string known(const std::string& name) const {
    const auto found = std::find_if(columns_.begin(), columns_.end(),
                                    [&](const FieldType& column) { return column.name == name; });
    if (found == columns_.end() || found->optional || found->fallback) return "";
    const bool scalar = found->form == FieldType::Form::tensor && found->shape.rank() == 0;
    return scalar ? name : "";
  }

  static std::string constant(const Node& node) {
    if (node.kind == Kind::unary && node.op == Op::negate) {
      const std::string value = constant(node.child(0));
      const bool number =
          !value.empty() && (node.child(0).kind == Kind::integer || node.child(0).kind == Kind::floating);
      return number ? concat("-", value) : "";
    }
    if (node.kind == Kind::integer) return concat(node.integer, "\n");
    if (node.kind == Kind::floating) return concat(node.text, "\n");
    return node.kind == Kind::string ? word(node.text) : "";
  }

  const Node& pattern_;
  const std::span<const FieldType> columns_;
};

}  // namespace

std::string table_condition(const Node& lambda, std::span<const FieldType> columns) {
  if (lambda.kind != Kind::lambda) return std::string(kAlways);
  return Condition(lambda.child(0), columns).of(lambda.child(1));
}

}  // namespace weir
