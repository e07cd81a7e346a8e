// Pipelines and expressions, from the weakest operator to the strongest.
#include <optional>
#include <utility>

#include "core/text.h"
#include "syntax/hints.h"
#include "syntax/literal.h"
#include "syntax/parser_impl.h"

namespace weir::syntax {

namespace {

// The binary operators, weakest first; `not` is among them.
enum Precedence : int { kNoOperator, kOr, kAnd, kNot, kComparison, kSum, kProduct };

struct BinaryOperator {
  Precedence level = kNoOperator;
  Op op = Op::none;
};

BinaryOperator binary_operator(TokenKind kind, std::string_view text) {
  switch (kind) {
    case TokenKind::word:
      if (text == "or") return {kOr, Op::logical_or};
      if (text == "and") return {kAnd, Op::logical_and};
      return {};
    case TokenKind::equal:
      return {kComparison, Op::equal};
    case TokenKind::not_equal:
      return {kComparison, Op::not_equal};
    case TokenKind::less:
      return {kComparison, Op::less};
    case TokenKind::less_equal:
      return {kComparison, Op::less_equal};
    case TokenKind::greater:
      return {kComparison, Op::greater};
    case TokenKind::greater_equal:
      return {kComparison, Op::greater_equal};
    case TokenKind::plus:
      return {kSum, Op::add};
    case TokenKind::minus:
      return {kSum, Op::subtract};
    case TokenKind::star:
      return {kProduct, Op::multiply};
    case TokenKind::slash:
      return {kProduct, Op::divide};
    case TokenKind::double_slash:
      return {kProduct, Op::floor_divide};
    case TokenKind::percent:
      return {kProduct, Op::remainder};
    default:
      return {};
  }
}

// The name at the start of a chain of fields, if there is one.
std::string_view prefix_of(const Node& field) {
  const Node* base = &field;
  while (base->kind == Kind::field) base = &base->child(0);
  return base->kind == Kind::name ? std::string_view(base->text) : std::string_view();
}

}  // namespace

NodePtr Parser::pipeline() {
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  size_t begin = cursor_.index();
  NodePtr first = expression();
  return first == nullptr ? nullptr : pipes(std::move(first), begin);
}

NodePtr Parser::pipes(NodePtr first, size_t begin) {
  if (!cursor_.at(TokenKind::pipe)) return first;
  Node node{.kind = Kind::pipeline};
  // (a | b()) | c() is a | b() | c().
  if (first->kind == Kind::pipeline) {
    node.items = first->items;
  } else {
    node.add(std::move(first));
  }
  while (cursor_.accept(TokenKind::pipe)) {
    if (!cursor_.at(TokenKind::word)) {
      cursor_.expected("the name of a transformation after '|'",
                       cursor_.at(TokenKind::left_brace) ? "dicts are joined as in {...a, ...b, c: 1}" : "");
      return nullptr;
    }
    NodePtr stage = call(CalleeKind::transformation);
    if (stage == nullptr) return nullptr;
    node.add(std::move(stage));
  }
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::expression() {
  if (cursor_.at_word("if")) return conditional();
  if (cursor_.at_word("let")) return let_in();
  return binary(kOr);
}

NodePtr Parser::conditional() {
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  size_t begin = cursor_.index();
  cursor_.advance();
  Node node{.kind = Kind::conditional};
  for (std::string_view next : {"then", "else", ""}) {
    NodePtr part = expression();
    if (part == nullptr || (!next.empty() && !cursor_.expect_word(next))) return nullptr;
    node.add(std::move(part));
  }
  return cursor_.finish(std::move(node), begin);
}

bool Parser::let_name(std::string* name) {
  std::string_view word = cursor_.text();
  if (!cursor_.at(TokenKind::word) || is_reserved(word) || word == "_") return cursor_.expected("a name");
  *name = word;
  cursor_.advance();
  return true;
}

NodePtr Parser::let_in() {
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  size_t begin = cursor_.index();
  cursor_.advance();
  std::string name;
  if (!let_name(&name) || !cursor_.expect(TokenKind::assign, "'=' and the value of this name"))
    return nullptr;
  NodePtr value = expression();
  if (value == nullptr) return nullptr;
  return let_body(std::move(name), std::move(value), begin);
}

NodePtr Parser::let_body(std::string name, NodePtr value, size_t begin) {
  if (!cursor_.expect_word("in")) return nullptr;
  NodePtr body = expression();
  if (body == nullptr) return nullptr;
  Node node{.kind = Kind::let_in, .text = std::move(name)};
  node.add(std::move(value));
  node.add(std::move(body));
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::binary(int weakest) {
  size_t begin = cursor_.index();
  // Operators stronger than `not` do not take it as an operand.
  NodePtr left = cursor_.at_word("not") && weakest <= kNot ? logical_not() : unary();
  while (left != nullptr) {
    BinaryOperator here = binary_operator(cursor_.token().kind, cursor_.text());
    if (here.level == kNoOperator || here.level < weakest) break;
    cursor_.advance();
    NodePtr right = binary(here.level + 1);
    if (right == nullptr) return nullptr;
    if (here.level == kComparison && binary_operator(cursor_.token().kind, "").level == kComparison) {
      cursor_.fail(cursor_.token().span, "comparisons do not chain; write 'a < b and b < c'");
      return nullptr;
    }
    left = operation(here.op, begin, std::move(left), std::move(right));
  }
  return left;
}

NodePtr Parser::operation(Op op, size_t begin, NodePtr first, NodePtr second) {
  if (first == nullptr) return nullptr;
  Node node{.kind = second == nullptr ? Kind::unary : Kind::binary, .op = op};
  node.add(std::move(first));
  if (second != nullptr) node.add(std::move(second));
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::logical_not() {
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  size_t begin = cursor_.index();
  cursor_.advance();
  return operation(Op::logical_not, begin, binary(kNot), nullptr);
}

NodePtr Parser::unary() {
  if (!cursor_.at(TokenKind::minus)) return power();
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  size_t begin = cursor_.index();
  cursor_.advance();
  return operation(Op::negate, begin, unary(), nullptr);
}

NodePtr Parser::power() {
  size_t begin = cursor_.index();
  NodePtr base = postfix();
  if (base == nullptr || !cursor_.at(TokenKind::double_star)) return base;
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  cursor_.advance();
  NodePtr exponent = unary();
  if (exponent == nullptr) return nullptr;
  return operation(Op::power, begin, std::move(base), std::move(exponent));
}

NodePtr Parser::postfix() {
  size_t begin = cursor_.index();
  NodePtr node = primary();
  while (node != nullptr) {
    if (cursor_.accept(TokenKind::dot)) {
      node = field(std::move(node), begin);
    } else if (cursor_.at_touching(TokenKind::left_bracket)) {
      node = index(std::move(node), begin);
    } else if (cursor_.at_touching(TokenKind::left_paren)) {
      const bool field = node->kind == Kind::field;
      cursor_.fail(
          cursor_.token().span,
          Mistake("only a name can be called", field ? hint_for_call(prefix_of(*node), node->text, grammars_)
                                                     : "what is no call does not touch a '('"));
      return nullptr;
    } else {
      break;
    }
  }
  return node;
}

NodePtr Parser::field(NodePtr base, size_t begin) {
  Node node{.kind = Kind::field};
  if (cursor_.at(TokenKind::word)) {
    node.text = cursor_.text();
    cursor_.advance();
  } else if (cursor_.at(TokenKind::string)) {
    if (!string_bytes(&node.text)) return nullptr;
  } else if (cursor_.at(TokenKind::position)) {
    node.kind = Kind::position;
    std::optional<uint64_t> position = read_integer(cursor_.text());
    if (!position) {
      cursor_.fail(cursor_.token().span, "expected a position in a tuple, found a number beyond 64 bits");
      return nullptr;
    }
    node.integer = *position;
    cursor_.advance();
  } else {
    cursor_.expected("a name, a quoted key or a position after '.'");
    return nullptr;
  }
  node.add(std::move(base));
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::index(NodePtr base, size_t begin) {
  cursor_.advance();
  Node node{.kind = Kind::index};
  node.add(std::move(base));
  if (cursor_.at(TokenKind::right_bracket)) {
    cursor_.expected("a position, a slice, '...' or newaxis");
    return nullptr;
  }
  bool comma = false;
  bool ok = cursor_.members(TokenKind::right_bracket, false, &comma, [&] {
    NodePtr position = index_position();
    if (position == nullptr) return false;
    node.add(std::move(position));
    return true;
  });
  return ok ? cursor_.finish(std::move(node), begin) : nullptr;
}

NodePtr Parser::index_position() {
  size_t begin = cursor_.index();
  if (cursor_.accept(TokenKind::ellipsis)) return cursor_.finish({.kind = Kind::ellipsis}, begin);
  if (cursor_.accept_word("newaxis")) return cursor_.finish({.kind = Kind::newaxis}, begin);
  Node slice{.kind = Kind::slice};
  if (!slice_part(slice)) return nullptr;
  if (!cursor_.at(TokenKind::colon) && slice.items[0].value != nullptr)
    return std::move(slice.items[0].value);
  if (!cursor_.expect(TokenKind::colon, "a position")) return nullptr;
  if (!slice_part(slice)) return nullptr;
  if (cursor_.accept(TokenKind::colon)) {
    if (!slice_part(slice)) return nullptr;
  } else {
    slice.add(nullptr);
  }
  return cursor_.finish(std::move(slice), begin);
}

bool Parser::slice_part(Node& slice) {
  bool absent =
      cursor_.at(TokenKind::colon) || cursor_.at(TokenKind::comma) || cursor_.at(TokenKind::right_bracket);
  if (absent) {
    slice.add(nullptr);
    return true;
  }
  NodePtr part = pipeline();
  if (part == nullptr) return false;
  slice.add(std::move(part));
  return true;
}

}  // namespace weir::syntax
