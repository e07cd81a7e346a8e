// A place in the tokens of a text, and the error that ends a parse. Private to this floor.
// Ownership: borrows the text. Threads: one.
// Errors: whoever fails returns a null node or false, and callers pass that on at once, up to the statement, which
// recovers. Cost: constant time a step.
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
  // The last token is never left.
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

  // "expected WHAT, found …" at the current token, with what helps. Returns false.
  bool expected(std::string_view what, std::string_view what_to_do = "");
  // The mistake at a place. Returns false.
  bool fail(Span span, const Mistake& mistake);

  // Forgets the mistake of a part, whose own mistake says more.
  void replace(Span span, const Mistake& mistake) { error_ = error_at(span, mistake); }
  // After a mistake in what begins at token `begin`: keeps it, and goes on at the next `|` outside brackets (then true)
  // or at the next `let` or `param` that begins a line, else at the end of the text.
  bool recover(size_t begin);
  // A mistake that was kept.
  bool failed() const { return !mistakes_.ok(); }

  bool expect(TokenKind kind, std::string_view what) { return accept(kind) || expected(what); }
  bool expect_word(std::string_view word);

  // Members up to the closing bracket, which is taken. REQUIRES: the opening one has just been taken.
  // `member` parses one and returns whether it could. Tells whether there was a comma.
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

  // A node of the tokens from `begin` up to the last one taken; null if it is too deep.
  NodePtr finish(Node node, size_t begin);

  // Counts a level of nesting while it lives. REQUIRES: ok() is asked before going on.
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

  // What stands here, in quotes.
  std::string found() const;

 private:
  bool too_deep(Span span);
  // Nothing but spaces stands before the token on its line.
  bool begins_line(const Token& token) const;
  bool unclosed(TokenKind close, size_t opener);
  // Whether an operand may end with the token, so that an operator is due.
  bool ends_operand(const Token& before) const;
  // What helps whoever wrote the token that was found; empty if nothing is known to.
  std::string_view hint() const;

  std::string_view source_;
  Tokens tokens_;
  size_t at_ = 0;
  int levels_ = 0;
  Status error_;
  // Of parts that were given up.
  Status mistakes_;
};

}  // namespace weir::syntax
