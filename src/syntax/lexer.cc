#include "syntax/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "core/utf8.h"

namespace weir::syntax {

namespace {

// Longest first, so that the first match is right.
constexpr std::array<std::pair<std::string_view, TokenKind>, 27> kPunctuation = {{
    {"...", TokenKind::ellipsis},   {"->", TokenKind::arrow},
    {"**", TokenKind::double_star}, {"//", TokenKind::double_slash},
    {"==", TokenKind::equal},       {"!=", TokenKind::not_equal},
    {"<=", TokenKind::less_equal},  {">=", TokenKind::greater_equal},
    {"(", TokenKind::left_paren},   {")", TokenKind::right_paren},
    {"[", TokenKind::left_bracket}, {"]", TokenKind::right_bracket},
    {"{", TokenKind::left_brace},   {"}", TokenKind::right_brace},
    {",", TokenKind::comma},        {":", TokenKind::colon},
    {".", TokenKind::dot},          {"|", TokenKind::pipe},
    {"=", TokenKind::assign},       {"?", TokenKind::question},
    {"+", TokenKind::plus},         {"-", TokenKind::minus},
    {"*", TokenKind::star},         {"/", TokenKind::slash},
    {"%", TokenKind::percent},      {"<", TokenKind::less},
    {">", TokenKind::greater},
}};

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// What to write instead of a character of other notations.
std::string_view instead_of(char c) {
  switch (c) {
    case '&':
      return "for bools write a and b, for the bits of integers bitwise_and(a, b)";
    case '!':
      return "write not a, or a != b";
    case '^':
      return "write a ** b for a power, bitwise_xor(a, b) for the bits of integers";
    case ';':
      return "a statement ends where the next one begins, so leave it out";
    case '\\':
      return "lines may be broken anywhere between tokens, so leave it out";
    default:
      return "";
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Tokens run() {
    bool touches = false;
    while (!failed_) {
      touches = !skip_space();
      if (at_ == source_.size()) break;
      Token token;
      token.touches = touches && !tokens_.list.empty();
      size_t begin = at_;
      token.kind = next();
      if (failed_) break;
      token.span = span_from(begin);
      pair_brackets(token.kind);
      tokens_.list.push_back(token);
    }
    Token last;
    last.kind = failed_ ? TokenKind::invalid : TokenKind::end;
    last.span = failed_ ? bad_ : span_from(at_);
    tokens_.list.push_back(last);
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  Span span_from(size_t begin) const {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_ - begin)};
  }

  TokenKind fail(size_t begin, Mistake mistake) {
    failed_ = true;
    const size_t size = begin < source_.size() ? utf8_size(source_.substr(begin)) : 0;
    bad_ = {static_cast<uint32_t>(begin), std::max<uint32_t>(static_cast<uint32_t>(size), 1)};
    tokens_.mistake = std::move(mistake);
    return TokenKind::invalid;
  }

  // Returns true if there was any.
  bool skip_space() {
    size_t begin = at_;
    while (at_ < source_.size()) {
      char c = source_[at_];
      if (c == '#') {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else {
        break;
      }
    }
    return at_ > begin;
  }

  TokenKind next() {
    char c = peek();
    if (starts_word(c)) {
      take_word();
      return TokenKind::word;
    }
    if (is_digit(c)) return number();
    if (c == '"') return string();
    if (c == '$') return parameter();
    if (c == '@') return callback();
    for (const auto& [text, kind] : kPunctuation) {
      if (source_.substr(at_, text.size()) == text) {
        at_ += text.size();
        return kind;
      }
    }
    auto byte = static_cast<unsigned char>(c);
    if (c == '\'') return fail(at_, "expected a token, found a single quote; strings stand in double quotes");
    if (byte < 0x20 || byte == 0x7f)
      return fail(at_, "found a control character; only strings can hold such, as \\xHH");
    if (byte >= 0x80)
      return fail(at_, "found a character outside ASCII; only strings and comments can hold such");
    return fail(
        at_, {concat("found '", c, "', which begins nothing in this notation"), std::string(instead_of(c))});
  }

  void take_word() {
    while (continues_word(peek())) ++at_;
  }
  void take_digits() {
    while (is_digit(peek())) ++at_;
  }

  TokenKind parameter() {
    size_t begin = at_++;
    if (!starts_word(peek())) return fail(begin, "expected the name of a parameter right after '$'");
    take_word();
    return TokenKind::parameter;
  }

  TokenKind callback() {
    size_t begin = at_++;
    if (is_digit(peek())) {
      take_digits();
      if (continues_word(peek())) return fail(begin, "expected a name or a number right after '@'");
    } else if (starts_word(peek())) {
      take_word();
    } else {
      return fail(begin, "expected a name or a number right after '@'");
    }
    return TokenKind::callback;
  }

  TokenKind number() {
    size_t begin = at_;
    TokenKind kind = TokenKind::integer;
    if (!tokens_.list.empty() && tokens_.list.back().kind == TokenKind::dot) {
      take_digits();
      kind = TokenKind::position;
    } else if (peek() == '0' && peek(1) == 'x') {
      at_ += 2;
      if (!is_hex_digit(peek())) return fail(begin, "expected hexadecimal digits after '0x'");
      while (is_hex_digit(peek())) ++at_;
    } else {
      take_digits();
      if (peek() == '.') {
        if (!is_digit(peek(1))) return fail(begin, "a float has digits on both sides of its point");
        ++at_;
        take_digits();
        kind = TokenKind::floating;
      }
      if (peek() == 'e' || peek() == 'E') {
        size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
        if (!is_digit(peek(1 + sign))) return fail(begin, "expected the digits of an exponent after 'e'");
        at_ += 1 + sign;
        take_digits();
        kind = TokenKind::floating;
      }
    }
    bool joined = continues_word(peek()) || (kind == TokenKind::floating && peek() == '.');
    if (joined)
      return fail(begin, concat("a number ends before '", peek(), "'; put a space or an operator there"));
    return kind;
  }

  TokenKind string() {
    size_t begin = at_++;
    while (at_ < source_.size()) {
      char c = source_[at_];
      if (c == '"') {
        ++at_;
        return TokenKind::string;
      }
      if (c == '\n' || c == '\r') break;
      if (c == '\0') return fail(at_, "found a zero byte; write it as \\x00");
      at_ += c == '\\' && at_ + 1 < source_.size() && source_[at_ + 1] != '\n' ? 2 : 1;
    }
    return fail(begin, "this string is not closed on its line; end it with '\"', write a line break as \\n");
  }

  void pair_brackets(TokenKind kind) {
    auto index = static_cast<uint32_t>(tokens_.list.size());
    switch (kind) {
      case TokenKind::left_paren:
      case TokenKind::left_bracket:
      case TokenKind::left_brace:
        open_.push_back(index);
        break;
      case TokenKind::right_paren:
      case TokenKind::right_bracket:
      case TokenKind::right_brace: {
        // A closing bracket follows its opening one in the enumeration.
        auto opening = static_cast<TokenKind>(static_cast<int>(kind) - 1);
        if (!open_.empty() && tokens_.list[open_.back()].kind == opening) {
          tokens_.list[open_.back()].match = index;
          open_.pop_back();
        }
        break;
      }
      default:
        break;
    }
  }

  std::string_view source_;
  size_t at_ = 0;
  Tokens tokens_;
  std::vector<uint32_t> open_;
  bool failed_ = false;
  Span bad_;
};

constexpr std::array<std::string_view, 16> kReserved = {"if",  "then",    "else",  "let",   "in",   "or",
                                                        "and", "not",     "true",  "false", "none", "auto",
                                                        "inf", "newaxis", "param", "nan"};

}  // namespace

Tokens lex(std::string_view source) { return Lexer(source).run(); }

bool is_reserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

}  // namespace weir::syntax
