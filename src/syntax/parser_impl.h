// A recursive descent over the grammar of the notation, one method per rule. Private to this floor. A method
// that fails returns null (or false) and leaves the error with the cursor. kMaxDepth bounds the recursion.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/cursor.h"
#include "syntax/grammar.h"

namespace weir::syntax {

class Parser {
 public:
  // With `bare_words`, a word that names a variable elsewhere is a string.
  Parser(std::string_view source, const Grammars& grammars, bool bare_words)
      : cursor_(source), grammars_(grammars), bare_words_(bare_words) {}

  NodePtr document();
  NodePtr only_value();
  NodePtr only_spec();
  Status status() const { return cursor_.status(); }

 private:
  using Names = std::set<std::string, std::less<>>;

  // Parses something in brackets into a node of its members. `rule` reads one: it names the item if it has a
  // name, and returns its value. A single member in parentheses without a comma is itself, not a tuple.
  // REQUIRES: at the opening bracket
  template <class Rule>
  NodePtr bracketed(Kind kind, TokenKind close, Rule rule) {
    const size_t begin = cursor_.index();
    cursor_.advance();
    Node node{.kind = kind};
    bool comma = false;
    bool ok = cursor_.members(close, true, &comma, [&] {
      Item item;
      item.value = rule(item);
      if (item.value == nullptr) return false;
      node.items.push_back(std::move(item));
      return true;
    });
    if (!ok) return nullptr;
    if (close == TokenKind::right_paren && node.items.size() == 1 && !comma) return node.items[0].value;
    return cursor_.finish(std::move(node), begin);
  }

  // parse_document.cc
  NodePtr param(Names& names);
  bool rest_of_pipeline();
  // A statement, or the `let … in` that begins the document's pipeline.
  NodePtr let(bool* is_statement);
  NodePtr all(NodePtr root);

  // parse_expression.cc
  NodePtr pipeline();
  NodePtr pipes(NodePtr first, size_t begin);
  NodePtr expression();
  NodePtr conditional();
  NodePtr let_in();
  // Parses the rest, from the value on, of a `let` whose first token is `begin`.
  NodePtr let_body(std::string name, NodePtr value, size_t begin);
  bool let_name(std::string* name);
  // Parses operators that bind at least as strongly as `weakest`.
  NodePtr binary(int weakest);
  // Makes a binary node, or a unary one if there is no second; null if there is no first.
  NodePtr operation(Op op, size_t begin, NodePtr first, NodePtr second);
  NodePtr logical_not();
  NodePtr unary();
  NodePtr power();
  NodePtr postfix();
  NodePtr field(NodePtr base, size_t begin);
  NodePtr index(NodePtr base, size_t begin);
  NodePtr index_position();
  bool slice_part(Node& slice);

  // parse_primary.cc
  NodePtr primary();
  NodePtr handed_in();  // $NAME, @NAME
  NodePtr word();
  NodePtr number();
  NodePtr string();
  NodePtr group_or_tuple();
  NodePtr list();
  NodePtr dict();
  NodePtr spread();
  // Reads a key and refuses it if it is among the names.
  bool key(Item& item, Names& names);
  // The same with the colon after it; `colon` is how messages call it.
  bool keyed(Item& item, Names& names, std::string_view colon) {
    return key(item, names) && cursor_.expect(TokenKind::colon, colon);
  }
  bool string_bytes(std::string* bytes);

  // parse_call.cc
  NodePtr call(CalleeKind kind);
  // After a mistake in the arguments of a call: says that there is no such callee, which explains more.
  void look_up(const Token& callee, CalleeKind kind);
  bool argument(Node& call, CalleeKind kind, Names& names);
  NodePtr argument_value(Grammar grammar);
  bool at_argument_name() const;
  // Takes an argument's name and colon, if they are there; fails if it is among the names, or missing after
  // others.
  bool argument_name(Item& item, Names& names);
  bool at_lambda() const;
  NodePtr lambda();
  NodePtr pattern(Names& bound);
  NodePtr pattern_word(std::string_view word, Names& bound);
  NodePtr tuple_pattern(Names& bound);
  NodePtr dict_pattern(Names& bound);
  NodePtr pattern_rest(Names& bound);

  // parse_spec.cc
  NodePtr dtype_argument();
  NodePtr value_or_dtype();
  NodePtr columns();
  NodePtr spec();
  NodePtr tuple_spec();
  NodePtr dict_spec();
  NodePtr angle_spec(Kind kind);
  NodePtr tensor_spec();
  bool dtype_name(DType* dtype);
  bool shape(Shape* shape);
  NodePtr features();
  NodePtr feature();
  NodePtr feature_kind();
  bool feature_argument(Node& kind, Names& names);
  // A type, and the default after it if there is one.
  NodePtr with_default(size_t begin, NodePtr type);
  NodePtr fields();
  NodePtr field_type();
  NodePtr field_kind();

  Cursor cursor_;
  const Grammars& grammars_;
  bool bare_words_;
  // The names that `let` has defined so far.
  std::vector<std::string> lets_;
};

}  // namespace weir::syntax
