#include "syntax/parser.h"

#include <utility>

#include "core/text.h"
#include "syntax/parser_impl.h"

namespace weir::syntax {

namespace {

Result<Tree> parse(std::string source, const Grammars& grammars, bool bare_words, NodePtr (Parser::*rule)()) {
  if (source.size() > kMaxSourceBytes) {
    return invalid_argument(expected_found(concat("a text of at most ", kMaxSourceBytes, " bytes"),
                                           concat(source.size()), "pass large data as a file or a tensor"));
  }
  Parser parser(source, grammars, bare_words);
  NodePtr root = (parser.*rule)();
  if (root == nullptr) return parser.status();
  return Tree{std::move(source), std::move(root)};
}

}  // namespace

Result<Tree> parse_document(std::string source, const Grammars& grammars) {
  return parse(std::move(source), grammars, false, &Parser::document);
}

bool is_one_argument(std::string_view text) {
  if (text.size() > kMaxSourceBytes) return false;
  const Tokens tokens = lex(text);
  int depth = 0;
  for (const Token& token : tokens.list) {
    const TokenKind kind = token.kind;
    if (kind == TokenKind::invalid) return text[token.span.offset] != '"';
    if (kind >= TokenKind::left_paren && kind <= TokenKind::right_brace) {
      const bool opens =
          kind == TokenKind::left_paren || kind == TokenKind::left_bracket || kind == TokenKind::left_brace;
      depth += opens ? 1 : -1;
    }
    if (depth < 0 || (depth == 0 && kind == TokenKind::comma)) return false;
  }
  return depth == 0 && tokens.list.size() > 1;
}

Result<Tree> parse_value(std::string source) {
  return parse(std::move(source), SignatureTable(), true, &Parser::only_value);
}

Result<Tree> parse_spec(std::string source) {
  return parse(std::move(source), SignatureTable(), false, &Parser::only_spec);
}

}  // namespace weir::syntax
