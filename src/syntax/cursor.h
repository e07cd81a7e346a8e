// A place in the tokens of a text, and the error that ends a parse. Private to this floor.
//
// A failing method returns a null node or false, and callers return it at once, up to the statement, which
// recovers.
#pragma once

#include <string>
#include <string_view>

#include "core/status.h"
#include "syntax/lexer.h"
#include "syntax/tree.h"

namespace weir::syntax {

class Cursor {
 public:
  // REQUIRES: source.size() <= kMaxSourceBytes
  explicit Cursor(std::string_view source) : source_(source), tokens_(lex(source)) {}

  // REQUIRES: a failed parse.
  Status status() const { return both(mistakes_, error_); }

  const Token& token(size_t ahead = 0) const {
    size_t index = at_ + ahead;
    return index < tokens_.list.size() ? tokens_.list[index] : tokens_.list.back();
  }
  const Token& token_at(size_t index) const { return tokens_.list[index]; }
  size_t index() const { return at_; }
  std::string_view text(const Token& token) const {
    return source_.substr(token.span.offset, token.span.size);
  }
  std::string_view text() const { return text(token()); }

  bool at(TokenKind kind) const { return token().kind == kind; }
  bool at_touching(TokenKind kind) const { return at(kind) && token().touches; }
  bool at_word(std::string_view word) const { return at(TokenKind::word) && text() == word; }
  // Never moves past the last token.
  void advance() {
    if (at_ + 1 < tokens_.list.size()) ++at_;
  }
  bool accept(TokenKind kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!at_word(word)) return false;
    advance();
    return true;
  }

  // Records "expected WHAT, found …" at the current token, with a hint. Returns false.
  bool expected(std::string_view what, std::string_view what_to_do = "");
  // Records a mistake at a place. Returns false.
  bool fail(Span span, const Mistake& mistake);

  // Replaces the mistake of a part by one that says more.
  void replace(Span span, const Mistake& mistake) { error_ = error_at(span, mistake); }
  // After a mistake in the part that begins at token `begin`: keeps it and continues at the next `|` outside
  // brackets, returning true, or at the next `let` or `param` that begins a line, else at the end of the
  // text.
  bool recover(size_t begin);
  // True if a mistake was kept.
  bool failed() const { return !mistakes_.ok(); }

  bool expect(TokenKind kind, std::string_view what) { return accept(kind) || expected(what); }
  bool expect_word(std::string_view word);

  // Parses members up to and including the closing bracket. `member` parses one and returns false on failure.
  // `comma` tells whether there was a comma.
  // REQUIRES: the opening bracket has just been taken.
  template <class Member>
  bool members(TokenKind close, bool trailing_comma, bool* comma, Member member) {
    size_t opener = at_ - 1;
    *comma = false;
    while (!at(close)) {
      if (!member()) return false;
      if (!at(TokenKind::comma)) break;
      *comma = true;
      advance();
      if (at(close) && !trailing_comma) return expected("another member; a comma may not end this list");
    }
    return accept(close) || unclosed(close, opener);
  }

  // Makes a node of the tokens from `begin` to the last one taken; null if it is too deep.
  NodePtr finish(Node node, size_t begin);

  // Counts a level of nesting while it lives.
  // REQUIRES: check ok() before going on.
  class Level {
   public:
    explicit Level(Cursor& cursor) : cursor_(cursor) { ++cursor_.levels_; }
    ~Level() { --cursor_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    bool ok() const { return cursor_.levels_ <= kMaxDepth || cursor_.too_deep(cursor_.token().span); }

   private:
    Cursor& cursor_;
  };

  // The current token in quotes.
  std::string found() const;

 private:
  bool too_deep(Span span);
  // True if only spaces are before the token on its line.
  bool begins_line(const Token& token) const;
  bool unclosed(TokenKind close, size_t opener);
  // True if an operand may end with the token, so that an operator may follow.
  bool ends_operand(const Token& before) const;
  // A hint for the token that was found; empty if there is none.
  std::string_view hint() const;

  std::string_view source_;
  Tokens tokens_;
  size_t at_ = 0;
  int levels_ = 0;
  Status error_;
  // Of parts that were abandoned.
  Status mistakes_;
};

}  // namespace weir::syntax
