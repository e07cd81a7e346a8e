// Calls, their arguments, and the lambdas and patterns that stand only there.
#include <algorithm>
#include <utility>

#include "core/dtype.h"
#include "core/text.h"
#include "syntax/hints.h"
#include "syntax/parser_impl.h"

namespace weir::syntax {

NodePtr Parser::call(CalleeKind kind) {
  size_t begin = cursor_.index();
  std::string_view callee = cursor_.text();
  if (is_reserved(callee) || callee == "_") {
    cursor_.expected("the name of a transformation after '|'");
    return nullptr;
  }
  cursor_.advance();
  if (!cursor_.at_touching(TokenKind::left_paren)) {
    cursor_.expected(concat("'(' right after '", callee, "'"));
    return nullptr;
  }
  cursor_.advance();
  Node node{.kind = Kind::call, .text = std::string(callee)};
  Names names;
  bool comma = false;
  bool ok =
      cursor_.members(TokenKind::right_paren, true, &comma, [&] { return argument(node, kind, names); });
  if (ok) return cursor_.finish(std::move(node), begin);
  look_up(cursor_.token_at(begin), kind);
  return nullptr;
}

void Parser::look_up(const Token& callee, CalleeKind kind) {
  const std::string name(cursor_.text(callee));
  if (grammars_.knows(kind, name) || std::find(lets_.begin(), lets_.end(), name) != lets_.end()) return;
  if (kind == CalleeKind::function && dtype_from_name(name)) return;
  const std::string_view what = kind == CalleeKind::function ? "source or function" : "transformation";
  cursor_.replace(callee.span, {concat("there is no ", what, " called ", name),
                                hint_for(name, grammars_.names(kind), grammars_.elsewhere(kind))});
}

bool Parser::at_argument_name() const {
  return cursor_.at(TokenKind::word) && cursor_.token(1).kind == TokenKind::colon;
}

bool Parser::argument_name(Item& item, Names& names) {
  if (!at_argument_name()) {
    return names.empty() ||
           cursor_.expected("the name of an argument and ':', since positional arguments come first");
  }
  item.name_span = cursor_.token().span;
  item.name = cursor_.text();
  if (!names.insert(item.name).second) {
    return cursor_.fail(item.name_span,
                        concat("the argument '", item.name, "' is given twice; leave one out"));
  }
  cursor_.advance();
  cursor_.advance();
  return true;
}

bool Parser::argument(Node& call, CalleeKind kind, Names& names) {
  Item item;
  if (!argument_name(item, names)) return false;
  item.value = argument_value(item.name.empty() ? grammars_.of_position(kind, call.text, call.items.size())
                                                : grammars_.of_name(kind, call.text, item.name));
  if (item.value == nullptr) return false;
  call.items.push_back(std::move(item));
  return true;
}

NodePtr Parser::argument_value(Grammar grammar) {
  const TokenKind next = cursor_.token(1).kind;
  if (cursor_.at_word("lambda") && (next == TokenKind::word || next == TokenKind::colon)) {
    cursor_.fail(cursor_.token().span, expected_found("an argument", "Python's 'lambda'",
                                                      "a lambda is written x -> x + 1, without the word"));
    return nullptr;
  }
  switch (grammar) {
    case Grammar::value:
      break;
    case Grammar::dtype:
      return dtype_argument();
    case Grammar::value_or_dtype:
      return value_or_dtype();
    case Grammar::spec:
      return spec();
    case Grammar::features:
      return features();
    case Grammar::fields:
      return cursor_.at_word("none") ? pipeline() : fields();
    case Grammar::columns:
      return columns();
  }
  return at_lambda() ? lambda() : pipeline();
}

bool Parser::at_lambda() const {
  const Token& first = cursor_.token();
  switch (first.kind) {
    case TokenKind::word:
      return cursor_.token(1).kind == TokenKind::arrow;
    case TokenKind::left_paren:
    case TokenKind::left_brace:
      return first.match != 0 && cursor_.token_at(first.match + 1).kind == TokenKind::arrow;
    default:
      return false;
  }
}

NodePtr Parser::lambda() {
  size_t begin = cursor_.index();
  Names bound;
  NodePtr parameters = pattern(bound);
  if (parameters == nullptr || !cursor_.expect(TokenKind::arrow, "'->'")) return nullptr;
  NodePtr body = pipeline();
  if (body == nullptr) return nullptr;
  Node node{.kind = Kind::lambda};
  node.add(std::move(parameters));
  node.add(std::move(body));
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::pattern(Names& bound) {
  Cursor::Level level(cursor_);
  if (!level.ok()) return nullptr;
  switch (cursor_.token().kind) {
    case TokenKind::word: {
      NodePtr node = pattern_word(cursor_.text(), bound);
      if (node != nullptr) cursor_.advance();
      return node;
    }
    case TokenKind::left_paren:
      return tuple_pattern(bound);
    case TokenKind::left_brace:
      return dict_pattern(bound);
    case TokenKind::ellipsis:
      cursor_.fail(cursor_.token().span,
                   expected_found("a pattern", "'...'", "a rest stands last in a dict, as in {a, ...rest}"));
      return nullptr;
    default:
      cursor_.expected("a pattern: a name, '_', '(...)' or '{...}'");
      return nullptr;
  }
}

NodePtr Parser::pattern_word(std::string_view word, Names& bound) {
  Node node{.kind = Kind::pattern_name};
  if (word == "_") {
    node.kind = Kind::pattern_any;
  } else if (is_reserved(word)) {
    cursor_.expected("a name that is not reserved");
    return nullptr;
  } else if (!bound.insert(std::string(word)).second) {
    cursor_.fail(cursor_.token().span,
                 concat("the name '", word, "' stands twice in this pattern; rename one, or use '_'"));
    return nullptr;
  } else {
    node.text = word;
  }
  return cursor_.finish(std::move(node), cursor_.index());
}

NodePtr Parser::tuple_pattern(Names& bound) {
  return bracketed(Kind::pattern_tuple, TokenKind::right_paren, [&](Item&) { return pattern(bound); });
}

NodePtr Parser::pattern_rest(Names& bound) {
  const size_t begin = cursor_.index();
  cursor_.advance();
  if (cursor_.at_word("_")) {
    cursor_.fail(cursor_.token().span, expected_found("a name for the other keys", "'_'",
                                                      "keys that are not named are passed over"));
    return nullptr;
  }
  if (!cursor_.at(TokenKind::word)) {
    cursor_.expected("a name for the other keys after '...'");
    return nullptr;
  }
  Node node{.kind = Kind::pattern_rest};
  NodePtr name = pattern_word(cursor_.text(), bound);
  if (name == nullptr) return nullptr;
  cursor_.advance();
  node.add(std::move(name));
  NodePtr rest = cursor_.finish(std::move(node), begin);
  const bool more = cursor_.at(TokenKind::comma) && cursor_.token(1).kind != TokenKind::right_brace;
  if (!more) return rest;
  cursor_.fail(cursor_.token(1).span,
               "a rest stands last in a pattern, and once; put the other keys before it");
  return nullptr;
}

NodePtr Parser::dict_pattern(Names& bound) {
  Names keys;
  return bracketed(Kind::pattern_dict, TokenKind::right_brace, [&](Item& item) -> NodePtr {
    if (cursor_.at(TokenKind::ellipsis)) return pattern_rest(bound);
    constexpr std::string_view kPattern = "':' and a pattern, since a quoted key binds no name";
    const bool shorthand = cursor_.at(TokenKind::word) && cursor_.token(1).kind != TokenKind::colon;
    if (!shorthand) return keyed(item, keys, kPattern) ? pattern(bound) : nullptr;
    // A key also binds its name.
    NodePtr name = pattern_word(cursor_.text(), bound);
    return name != nullptr && key(item, keys) ? name : nullptr;
  });
}

}  // namespace weir::syntax
