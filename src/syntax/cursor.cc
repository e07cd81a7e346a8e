#include "syntax/cursor.h"

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace weir::syntax {

namespace {

constexpr size_t kMaxQuotedBytes = 40;
constexpr std::string_view kComment = "a comment begins with #";

}  // namespace

bool Cursor::fail(Span span, const Mistake& mistake) {
  if (error_.ok()) error_ = error_at(span, mistake);
  return false;
}

std::string Cursor::found() const {
  const Token& here = token();
  if (here.kind == TokenKind::end) return "the end of the text";
  std::string_view shown = text(here);
  std::string_view kind = here.kind == TokenKind::word && is_reserved(shown) ? "the reserved word " : "";
  if (shown.size() > kMaxQuotedBytes) return concat(kind, "'", shown.substr(0, kMaxQuotedBytes), "...'");
  return concat(kind, "'", shown, "'");
}

bool Cursor::ends_operand(const Token& before) const {
  switch (before.kind) {
    case TokenKind::word:
      return !is_reserved(text(before));
    case TokenKind::integer:
    case TokenKind::floating:
    case TokenKind::string:
    case TokenKind::right_paren:
    case TokenKind::right_bracket:
      return true;
    default:
      return false;
  }
}

std::string_view Cursor::hint() const {
  const Token& next = token(1);
  const Token* before = at_ > 0 ? &token_at(at_ - 1) : nullptr;
  const bool after_word = before != nullptr && before->kind == TokenKind::word;
  switch (token().kind) {
    case TokenKind::arrow:
      return "a lambda stands only as an argument of a call";
    case TokenKind::dot:
      return next.kind == TokenKind::position ? "a float has digits on both sides of its point" : "";
    case TokenKind::pipe:
      if (before != nullptr && before->kind == TokenKind::pipe && token().touches)
        return "for bools write a or b";
      return "a pipeline as a part of an expression stands in parentheses";
    case TokenKind::assign:
      if (next.kind == TokenKind::greater && next.touches) return "a lambda is written x -> value";
      if (at_ == 1 && after_word) return "a name is given by let, as in let ds = range(10)";
      return "':' stands between a name and its value";
    case TokenKind::question:
      if (after_word && token().touches && dtype_from_name(text(*before)))
        return "what may be missing is optional(int64) as a field, and optional<int64> in a spec";
      return "a choice is written if c then a else b";
    case TokenKind::greater:
      return before != nullptr && before->kind == TokenKind::pipe && token().touches ? "leave the '>' out"
                                                                                     : "";
    case TokenKind::double_slash:
      return kComment;
    case TokenKind::star:
      return before != nullptr && before->kind == TokenKind::slash ? kComment : "";
    case TokenKind::slash:
      if (next.kind == TokenKind::star && next.touches) return kComment;
      if (before == nullptr || !ends_operand(*before)) return "a file name stands in double quotes";
      return "a name with other signs stands in double quotes, as in {\"image/encoded\": string}";
    case TokenKind::left_paren:
    case TokenKind::left_bracket:
      if (before != nullptr && before->kind == TokenKind::right_brace && token().touches)
        return "a list of objects as a field is list({…})";
      return after_word && !token().touches ? "an opening bracket applies only to what it touches" : "";
    case TokenKind::word:
      // x if c else y
      if (at_word("if") && before != nullptr && ends_operand(*before))
        return "a choice is written if c then a else b";
      if (at_word("if") || at_word("let") || at_word("not"))
        return "put the part that begins with it in parentheses";
      if (after_word && text(*before) == "lambda") return "a lambda is written x -> x + 1, without the word";
      if (after_word && at_ > 1 && token_at(at_ - 2).kind == TokenKind::double_slash) return kComment;
      // A call right after another.
      if (before == nullptr || before->kind != TokenKind::right_paren) return "";
      return next.kind == TokenKind::left_paren && next.touches ? "a transformation stands behind a '|'" : "";
    default:
      return "";
  }
}

bool Cursor::expected(std::string_view what, std::string_view what_to_do) {
  const Token& here = token();
  if (here.kind == TokenKind::invalid) return fail(here.span, tokens_.mistake);
  return fail(here.span, expected_found(what, found(), what_to_do.empty() ? hint() : what_to_do));
}

bool Cursor::expect_word(std::string_view word) {
  return accept_word(word) || expected(concat("'", word, "'"));
}

bool Cursor::unclosed(TokenKind close, size_t opener) {
  std::string_view bracket = close == TokenKind::right_paren     ? ")"
                             : close == TokenKind::right_bracket ? "]"
                             : close == TokenKind::right_brace   ? "}"
                                                                 : ">";
  const Token& open = token_at(opener);
  Location location = locate(source_, open.span.offset);
  return expected(concat("',' or '", bracket, "' to close the '", text(open), "' of line ", location.line,
                         ", column ", location.column));
}

bool Cursor::begins_line(const Token& token) const {
  const size_t before = source_.find_last_not_of(" \t", token.span.offset == 0 ? 0 : token.span.offset - 1);
  return token.span.offset == 0 || before == std::string_view::npos || source_[before] == '\n';
}

bool Cursor::recover(size_t begin) {
  const size_t failed_at = at_;
  mistakes_ = both(mistakes_, error_);
  error_ = Status();
  for (size_t i = begin; i + 1 < tokens_.list.size(); ++i) {
    const Token& here = tokens_.list[i];
    at_ = i;
    if (i > failed_at && here.kind == TokenKind::pipe) return true;
    if (i > failed_at && (at_word("let") || at_word("param")) && begins_line(here)) return false;
    // What stands in brackets belongs to the part that failed.
    if (here.match != 0) i = here.match - 1;
  }
  at_ = tokens_.list.size() - 1;
  return false;
}

bool Cursor::too_deep(Span span) {
  return fail(span, Mistake(concat("this is nested more than ", kMaxDepth, " levels deep"),
                            "name parts of it with let"));
}

NodePtr Cursor::finish(Node node, size_t begin) {
  const Token& first = tokens_.list[begin];
  const Token& last = tokens_.list[at_ > begin ? at_ - 1 : begin];
  node.span = {first.span.offset, last.span.offset + last.span.size - first.span.offset};
  int depth = 0;
  for (const Item& item : node.items) {
    if (item.value != nullptr) depth = std::max<int>(depth, item.value->depth);
  }
  if (depth >= kMaxDepth) {
    too_deep(node.span);
    return nullptr;
  }
  node.depth = static_cast<uint8_t>(depth + 1);
  return std::make_shared<const Node>(std::move(node));
}

}  // namespace weir::syntax
