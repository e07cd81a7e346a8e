// Turns a text into tokens. Private to this floor.
//
// Tokens are places in the text. A mistake ends them with one of kind `invalid`; the parser reports it when
// it gets there, so that the first mistake of a text is the one reported. Takes one pass, and 20 bytes per
// token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/source.h"

namespace weir::syntax {

enum class TokenKind : uint8_t {
  end,
  invalid,
  word,
  integer,
  floating,
  position,   // digits after a `.`
  string,     // with its quotes, escapes not yet read
  parameter,  // $NAME
  callback,   // @NAME, @1
  left_paren,
  right_paren,
  left_bracket,
  right_bracket,
  left_brace,
  right_brace,
  comma,
  colon,
  dot,
  ellipsis,
  pipe,
  arrow,
  assign,
  question,
  plus,
  minus,
  star,
  double_star,
  slash,
  double_slash,
  percent,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool touches = false;  // nothing lies between it and the token before
  Span span;
  uint32_t match = 0;  // of an opening bracket: the index of the closing one, 0 if there is none
};

struct Tokens {
  std::vector<Token> list;  // the last one is `end` or `invalid`
  Mistake mistake{""};      // what is wrong with `invalid`
};

// REQUIRES: source.size() <= kMaxSourceBytes
Tokens lex(std::string_view source);

// Words that can't name a variable.
bool is_reserved(std::string_view word);

inline bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool continues_word(char c) { return starts_word(c) || is_digit(c); }

}  // namespace weir::syntax
