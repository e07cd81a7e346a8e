// Documents: params, lets, the pipeline; and the texts that are one value or one spec.
#include <utility>

#include "core/text.h"
#include "syntax/parser_impl.h"

namespace weir::syntax {

NodePtr Parser::all(NodePtr root) {
  if (root != nullptr && !cursor_.at(TokenKind::end)) {
    cursor_.expected("the end of the text");
    return nullptr;
  }
  return root;
}

// After a mistake, reads the rest of the text for more.
NodePtr Parser::document() {
  Node document{.kind = Kind::document};
  Names params;
  while (true) {
    const size_t begin = cursor_.index();
    bool is_statement = cursor_.at_word("param") || cursor_.at_word("let");
    NodePtr part = cursor_.at_word("param") ? param(params)
                   : cursor_.at_word("let") ? let(&is_statement)
                                            : pipeline();
    if (part != nullptr && !is_statement) part = all(std::move(part));
    if (part == nullptr) {
      while (cursor_.recover(begin) && !rest_of_pipeline()) {
      }
      if (!cursor_.at_word("let") && !cursor_.at_word("param")) return nullptr;
      continue;
    }
    document.add(std::move(part));
    if (is_statement) continue;
    return cursor_.failed() ? nullptr : cursor_.finish(std::move(document), 0);
  }
}

// Parses calls from a `|` on; returns false if there was a mistake in them.
bool Parser::rest_of_pipeline() {
  while (cursor_.accept(TokenKind::pipe)) {
    if (!cursor_.at(TokenKind::word)) return cursor_.expected("the name of a transformation after '|'");
    if (call(CalleeKind::transformation) == nullptr) return false;
  }
  return true;
}

NodePtr Parser::param(Names& names) {
  size_t begin = cursor_.index();
  cursor_.advance();
  const Token& name = cursor_.token();
  Node node{.kind = Kind::param};
  if (!let_name(&node.text)) return nullptr;
  if (!names.insert(node.text).second) {
    cursor_.fail(name.span, expected_found("a new name", concat("a second param '", node.text, "'")));
    return nullptr;
  }
  if (!cursor_.expect(TokenKind::colon, "':' and the spec of this param")) return nullptr;
  NodePtr type = spec();
  if (type == nullptr) return nullptr;
  node.add(std::move(type));
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::let(bool* is_statement) {
  size_t begin = cursor_.index();
  cursor_.advance();
  Node node{.kind = Kind::let};
  if (!let_name(&node.text)) return nullptr;
  lets_.push_back(node.text);
  if (!cursor_.expect(TokenKind::assign, "'=' and the value of this name")) return nullptr;
  if (at_lambda()) {
    NodePtr function = lambda();
    if (function == nullptr) return nullptr;
    node.add(std::move(function));
    return cursor_.finish(std::move(node), begin);
  }
  size_t value_begin = cursor_.index();
  NodePtr value = expression();
  if (value == nullptr) return nullptr;
  if (cursor_.at_word("in")) {
    *is_statement = false;
    NodePtr first = let_body(std::move(node.text), std::move(value), begin);
    return first == nullptr ? nullptr : pipes(std::move(first), begin);
  }
  value = pipes(std::move(value), value_begin);
  if (value == nullptr) return nullptr;
  node.add(std::move(value));
  return cursor_.finish(std::move(node), begin);
}

NodePtr Parser::only_value() {
  if (cursor_.at(TokenKind::word) && cursor_.token(1).kind == TokenKind::end) return all(word());
  return all(pipeline());
}

NodePtr Parser::only_spec() { return all(spec()); }

}  // namespace weir::syntax
