// Pipelines and expressions, from the weakest operator to the strongest.
#include <optional>
#include <utility>

#include "core/text.h"
#include "syntax/literal.h"
#include "syntax/parser_impl.h"

namespace weir::syntax {

namespace {

// Levels of the binary operators; what binds stronger is unary().
enum Precedence : int { kOr = 1, kAnd, kNot, kComparison, kSum, kProduct, kUnary };

// The operator that a token is on a level, or Op::none.
Op op_of(int level, TokenKind kind, std::string_view text) {
  switch (level) {
    case kOr:
      return kind == TokenKind::word && text == "or" ? Op::logical_or : Op::none;
    case kAnd:
      return kind == TokenKind::word && text == "and" ? Op::logical_and : Op::none;
    case kComparison:
      switch (kind) {
        case TokenKind::equal:
          return Op::equal;
        case TokenKind::not_equal:
          return Op::not_equal;
        case TokenKind::less:
          return Op::less;
        case TokenKind::less_equal:
          return Op::less_equal;
        case TokenKind::greater:
          return Op::greater;
        case TokenKind::greater_equal:
          return Op::greater_equal;
        default:
          return Op::none;
      }
    case kSum:
      return kind == TokenKind::plus ? Op::add : kind == TokenKind::minus ? Op::subtract : Op::none;
    case kProduct:
      switch (kind) {
        case TokenKind::star:
          return Op::multiply;
        case TokenKind::slash:
          return Op::divide;
        case TokenKind::double_slash:
          return Op::floor_divide;
        case TokenKind::percent:
          return Op::remainder;
        default:
          return Op::none;
      }
    default:
      return Op::none;
  }
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
      cursor_.expected("the name of a transformation after '|'");
      return nullptr;
    }
    NodePtr stage = call(Place::transformation);
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

NodePtr Parser::binary(int level) {
  if (level == kUnary) return unary();
  if (level == kNot) return cursor_.at_word("not") ? logical_not() : binary(kComparison);
  size_t begin = cursor_.index();
  NodePtr left = binary(level + 1);
  while (left != nullptr) {
    Op op = op_of(level, cursor_.token().kind, cursor_.text());
    if (op == Op::none) break;
    cursor_.advance();
    NodePtr right = binary(level + 1);
    if (right == nullptr) return nullptr;
    if (level == kComparison && op_of(level, cursor_.token().kind, "") != Op::none) {
      cursor_.fail(cursor_.token().span, "comparisons do not chain; write 'a < b and b < c'");
      return nullptr;
    }
    Node node{.kind = Kind::binary, .op = op};
    node.add(std::move(left));
    node.add(std::move(right));
    left = cursor_.finish(std::move(node), begin);
  }
  return left;
}

NodePtr Parser::logical_not() {
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  size_t begin = cursor_.index();
  cursor_.advance();
  NodePtr operand = binary(kNot);
  if (operand == nullptr) return nullptr;
  Node node{.kind = Kind::unary, .op = Op::logical_not};
  node.add(std::move(operand));
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::unary() {
  if (!cursor_.at(TokenKind::minus)) return power();
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  size_t begin = cursor_.index();
  cursor_.advance();
  NodePtr operand = unary();
  if (operand == nullptr) return nullptr;
  Node node{.kind = Kind::unary, .op = Op::negate};
  node.add(std::move(operand));
  return cursor_.finish(std::move(node), begin);
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
  Node node{.kind = Kind::binary, .op = Op::power};
  node.add(std::move(base));
  node.add(std::move(exponent));
  return cursor_.finish(std::move(node), begin);
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
      cursor_.fail(cursor_.token().span, "only a name can be called; what is no call does not touch a '('");
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
