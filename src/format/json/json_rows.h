// JsonRows: JSON objects as rows of fields. An object that is no JSON, or of which a field does not fit, is a
// failed row. Strings are views of the text; only those with escapes are copied. Not thread-safe.
//
//   rows.columns().begin(n);
//   rows.start_text(text);
//   if (!rows.parse(begin, end, token)) rows.columns().add_failed(error of rows.mistake());
//   rows.give_owners(owners->list);
//   rows.columns().finish(block, owners);
//
// All of a text is checked, also what no field names: it is one object of valid JSON, at most 1,024 deep, but
// for NaN, Infinity and -Infinity, which count as numbers, and lone surrogates in strings that aren't read.
// Keys are found where the objects before had them; an object costs one pass over its tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/field_columns.h"
#include "format/json/json_index.h"
#include "format/json/json_tokens.h"

namespace weir {

class JsonRows {
 public:
  // REQUIRES: refuse_json_field() refuses none of them
  explicit JsonRows(const std::vector<FieldType>& fields);

  FieldColumns& columns() { return columns_; }

  // The text that parse() reads, until the next one.
  void start_text(std::string_view text) { tokens_.start_text(text); }
  // Adds the row of the object at [begin, end) of the text; `token` is its first one, and is moved past it.
  // The floating-point mode is the usual one. False if it is mistaken: then columns().add_failed() must
  // follow.
  // REQUIRES: the next token of the text, or its size, follows those of the object
  bool parse(size_t begin, size_t end, const uint32_t*& token);
  // The same for a text of its own.
  bool parse(std::string_view text, JsonIndex& index);
  // What was wrong; `what` is how it calls the text.
  Mistake mistake(std::string_view what) const;

  // Gives up the memory of strings that were copied.
  void give_owners(std::vector<RefPtr<RefCounted>>& owners);

 private:
  // What is found in the place of a value. `wrong`: another value. `broken`: no JSON.
  enum class Found : uint8_t { value, null, wrong, broken };

  // A key as the text writes it, with its quotes and a colon; null: no field.
  struct KnownKey {
    std::string written;
    FieldNode* node;
  };
  // Its keys in the order of the objects before, and its fields, also by name.
  struct Object {
    std::vector<KnownKey> keys;
    std::vector<FieldNode>* members;
    std::unordered_map<std::string_view, FieldNode*> fields;
  };

  void add_object(std::vector<FieldNode>& members);
  Found wrong(const FieldNode& node, const char* what);
  Found broken(const char* expected);

  // `wrong`, also if a field has no value: the object has been stepped over.
  Found object(Object& object);
  // Steps over a key that isn't the one that is expected, and its colon; null if it is broken. A value
  // follows.
  const KnownKey* key(Object& object);
  const KnownKey* look_up(Object& object);
  // Steps over what begins there, and is no value of the field, unless it is broken.
  Found odd_field(FieldNode& node, Found found, JsonTokens::Place begin);
  Found value(FieldNode& node);
  Found nested(FieldNode& node);
  Found list(FieldNode& node);
  // One token, which is not stepped over.
  Found scalar(FieldNode& node);
  Found tensor(FieldNode& node);
  Found dimension(FieldNode& node, int axis, Shape& shape, size_t& count);
  Found ragged(FieldNode& node);
  Found raw(FieldNode& node);
  // Steps over the bracket, the members, and the closing bracket. `member` gets the token that it begins
  // with, and moves it past the member.
  template <class Member>
  Found members(const FieldNode& node, Member member);
  // One token, which is not stepped over. What is usual is read by leaves, which save no registers.
  Found entry(const FieldNode& node, uint8_t* out);
  template <class T>
  [[gnu::noinline]] Found number(const FieldNode& node, uint8_t* out);
  template <class T>
  [[gnu::noinline]] Found any_number(const FieldNode& node, uint8_t* out);
  [[gnu::noinline]] Found string(const FieldNode& node, uint8_t* out);
  [[gnu::noinline]] Found escaped(const FieldNode& node, uint8_t* out);
  Found truth(const FieldNode& node, uint8_t* out);
  // With the keys of the object that the field is of.
  Mistake field_mistake() const;
  // Of a value of another kind: null, or wrong.
  Found other(const FieldNode& node, const char* what);
  Found other_entry(const FieldNode& node);

  char* copy_memory(size_t size);

  FieldColumns columns_;
  JsonTokens tokens_;
  // By FieldNode::number; the row is the first.
  std::vector<Object> objects_;
  FieldFault fault_;
  JsonIndex::Fault text_fault_ = JsonIndex::Fault::none;

  // The memory of strings that were copied, the last of which has room left.
  std::vector<BufferRef> copies_;
  size_t copied_ = 0;
};

// What JSON doesn't have.
std::optional<Mistake> refuse_json_field(const FieldType& field);

}  // namespace weir
