// The parts of expressions: literals, names, and everything in brackets.
#include <optional>
#include <utility>

#include "core/text.h"
#include "syntax/literal.h"
#include "syntax/parser_impl.h"

namespace weir::syntax {

NodePtr Parser::primary() {
  switch (cursor_.token().kind) {
    case TokenKind::word:
      return word();
    case TokenKind::integer:
    case TokenKind::floating:
      return number();
    case TokenKind::string:
      return string();
    case TokenKind::left_paren:
      return group_or_tuple();
    case TokenKind::left_bracket:
      return list();
    case TokenKind::left_brace:
      return dict();
    case TokenKind::parameter:
    case TokenKind::callback:
      return handed_in();
    case TokenKind::ellipsis:
      cursor_.fail(cursor_.token().span, expected_found("an expression", "'...'",
                                                        "a dict is spread in a dict, as in {...e, c: 1}"));
      return nullptr;
    default:
      cursor_.expected("an expression");
      return nullptr;
  }
}

NodePtr Parser::handed_in() {
  size_t begin = cursor_.index();
  Node node{.kind = cursor_.at(TokenKind::parameter) ? Kind::parameter : Kind::callback,
            .text = std::string(cursor_.text().substr(1))};
  cursor_.advance();
  NodePtr word = cursor_.finish(std::move(node), begin);
  if (word == nullptr || word->kind != Kind::callback || !cursor_.at_touching(TokenKind::left_paren))
    return word;
  cursor_.advance();
  Node invocation{.kind = Kind::invocation};
  invocation.add(std::move(word));
  bool comma = false;
  const bool ok = cursor_.members(TokenKind::right_paren, true, &comma, [&] {
    NodePtr argument = pipeline();
    if (argument == nullptr) return false;
    invocation.add(std::move(argument));
    return true;
  });
  return ok ? cursor_.finish(std::move(invocation), begin) : nullptr;
}

NodePtr Parser::word() {
  size_t begin = cursor_.index();
  std::string_view word = cursor_.text();
  Node node;
  if (word == "true" || word == "false") {
    node.kind = Kind::boolean;
    node.integer = word == "true" ? 1 : 0;
  } else if (word == "auto") {
    node.kind = Kind::automatic;
  } else if (word == "none") {
    node.kind = Kind::none;
  } else if (word == "inf" || word == "nan") {
    node.kind = Kind::floating;
    node.text = word;
  } else if (bare_words_) {
    node.kind = Kind::string;
    node.text = word;
  } else if (word == "newaxis") {
    cursor_.fail(cursor_.token().span,
                 "expected an expression, found 'newaxis'; it stands only as a position in x[...]");
    return nullptr;
  } else if (word == "_") {
    cursor_.fail(cursor_.token().span,
                 "expected an expression, found '_'; it is a pattern and names no value");
    return nullptr;
  } else if (is_reserved(word)) {
    cursor_.expected("an expression");
    return nullptr;
  } else if (cursor_.token(1).kind == TokenKind::left_paren && cursor_.token(1).touches) {
    return call(CalleeKind::function);
  } else {
    node.kind = Kind::name;
    node.text = word;
  }
  cursor_.advance();
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::number() {
  size_t begin = cursor_.index();
  const Token& token = cursor_.token();
  Node node;
  if (token.kind == TokenKind::integer) {
    std::optional<uint64_t> value = read_integer(cursor_.text());
    if (!value) {
      cursor_.fail(token.span,
                   "expected an integer that fits 64 bits; write a float, as in 1e20, for larger values");
      return nullptr;
    }
    node.kind = Kind::integer;
    node.integer = *value;
  } else {
    std::optional<std::string> value = canonical_float(cursor_.text());
    if (!value) {
      cursor_.fail(token.span, concat("expected a float with an exponent of at most ", kMaxExponent));
      return nullptr;
    }
    node.kind = Kind::floating;
    node.text = *std::move(value);
  }
  cursor_.advance();
  return cursor_.finish(std::move(node), begin);
}

bool Parser::string_bytes(std::string* bytes) {
  const Token& token = cursor_.token();
  StringValue value = read_string(cursor_.text());
  if (!value.message.empty()) {
    return cursor_.fail({token.span.offset + static_cast<uint32_t>(value.bad_at), 2}, value.message);
  }
  *bytes = std::move(value.bytes);
  cursor_.advance();
  return true;
}

NodePtr Parser::string() {
  size_t begin = cursor_.index();
  Node node{.kind = Kind::string};
  return string_bytes(&node.text) ? cursor_.finish(std::move(node), begin) : nullptr;
}

NodePtr Parser::group_or_tuple() {
  return bracketed(Kind::tuple, TokenKind::right_paren, [this](Item&) { return pipeline(); });
}

NodePtr Parser::list() {
  return bracketed(Kind::list, TokenKind::right_bracket, [this](Item&) { return pipeline(); });
}

bool Parser::key(Item& item, Names& names) {
  item.name_span = cursor_.token().span;
  if (cursor_.at(TokenKind::string)) {
    if (!string_bytes(&item.name)) return false;
  } else if (cursor_.at(TokenKind::word)) {
    item.name = cursor_.text();
    cursor_.advance();
  } else {
    return cursor_.expected("a key, a word or quoted");
  }
  if (!names.insert(item.name).second) {
    return cursor_.fail(item.name_span,
                        expected_found("a new key", concat(quote(item.name), " a second time")));
  }
  return true;
}

NodePtr Parser::spread() {
  const size_t begin = cursor_.index();
  cursor_.advance();
  Node node{.kind = Kind::spread};
  NodePtr value = pipeline();
  if (value == nullptr) return nullptr;
  node.add(std::move(value));
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::dict() {
  Names names;
  return bracketed(Kind::dict, TokenKind::right_brace, [&](Item& item) -> NodePtr {
    if (cursor_.at(TokenKind::ellipsis)) return spread();
    if (cursor_.at(TokenKind::double_star)) {
      cursor_.expected("a key, a word or quoted", "a dict is spread with '...', as in {...e, c: 1}");
      return nullptr;
    }
    const size_t key_index = cursor_.index();
    const Token& key_token = cursor_.token();
    if (!key(item, names)) return nullptr;
    if (cursor_.accept(TokenKind::colon)) return pipeline();
    if (key_token.kind == TokenKind::string || is_reserved(item.name) || item.name == "_") {
      cursor_.expected("':' and a value, since this key names no variable");
      return nullptr;
    }
    return cursor_.finish({.kind = bare_words_ ? Kind::string : Kind::name, .text = item.name}, key_index);
  });
}

}  // namespace weir::syntax
