#include "format/json/json_rows.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "format/json/json_number.h"
#include "format/json/json_string.h"
#include "format/name_index.h"

namespace weir {

namespace {

using Form = FieldType::Form;
using State = FieldNode::State;

constexpr size_t kCopiedBytes = 64 * 1024;
// So many keys of an object are known; others are looked up each time.
constexpr size_t kMostKeys = 256;
constexpr const char* kUneven = "must have as many values as its shape says, and lists of one length";

const char* expectation(DType dtype) {
  switch (dtype) {
#define WEIR_DTYPE_ENTRY(name, number, abi, text, kind, type) \
  case DType::name:                                           \
    return "must be " text;
    WEIR_DTYPES(WEIR_DTYPE_ENTRY)
#undef WEIR_DTYPE_ENTRY
    default:
      return "";
  }
}

template <class T>
void put(uint8_t* out, T value) {
  std::memcpy(out, &value, sizeof value);
}

}  // namespace

JsonRows::JsonRows(const std::vector<FieldType>& fields) : columns_(fields) { add_object(columns_.fields()); }

void JsonRows::add_object(std::vector<FieldNode>& members) {
  const size_t number = objects_.size();
  objects_.emplace_back();
  for (FieldNode& node : members) {
    objects_[number].fields.emplace(node.type.name, &node);
    if (node.is_leaf()) continue;
    node.number = objects_.size();
    add_object(node.members);
  }
}

bool JsonRows::parse(size_t begin, size_t end, const uint32_t*& token) {
  text_fault_ = JsonIndex::Fault::none;
  fault_ = {};
  tokens_.start(begin, end, token);
  columns_.start_row();
  uint64_t stamp = 0;
  bool good = tokens_.at('{') || tokens_.broken("an object");
  good = good && object(objects_[0], stamp) == Found::value;
  good = good && (!tokens_.more() || tokens_.broken("nothing after the object"));
  while (tokens_.more()) tokens_.step();
  token = tokens_.position();
  return good && columns_.finish_row(stamp, fault_);
}

bool JsonRows::parse(std::string_view text, JsonIndex& index) {
  fault_ = {};
  text_fault_ = text.size() > UINT32_MAX / 2 ? JsonIndex::Fault::no_memory : index.find(text);
  if (text_fault_ != JsonIndex::Fault::none) {
    columns_.start_row();
    return false;
  }
  start_text(text);
  const uint32_t* token = index.tokens().data();
  return parse(0, text.size(), token);
}

Mistake JsonRows::mistake(std::string_view what) const {
  if (text_fault_ != JsonIndex::Fault::none) return {concat(what, " ", describe(text_fault_))};
  if (!tokens_.expected()) return describe(fault_);
  const std::string_view found = tokens_.found();
  return expected_found(tokens_.expected(), concat(found.empty() ? "the end" : quote(found), " at byte ",
                                                   tokens_.broken_at(), " of ", what));
}

void JsonRows::give_owners(std::vector<RefPtr<RefCounted>>& owners) {
  for (BufferRef& buffer : copies_) owners.push_back(std::move(buffer));
  copies_.clear();
}

char* JsonRows::copy_memory(size_t size) {
  if (copies_.empty() || copies_.back()->size() - copied_ < size) {
    copies_.push_back(Buffer::allocate(std::max(size, kCopiedBytes)));
    copied_ = 0;
  }
  return reinterpret_cast<char*>(copies_.back()->data()) + copied_;
}

JsonRows::Found JsonRows::wrong(const FieldNode& node, const char* what) {
  fault_ = {&node, what, tokens_.more() ? tokens_.rest(tokens_.offset()) : std::string_view("")};
  return Found::wrong;
}

JsonRows::Found JsonRows::broken(const char* expected) {
  tokens_.broken(expected);
  return Found::broken;
}

JsonRows::Found JsonRows::other(const FieldNode& node, const char* what) {
  if (!tokens_.more() || !tokens_.is_word("null")) return wrong(node, what);
  tokens_.step();
  return Found::null;
}

JsonRows::Found JsonRows::other_entry(const FieldNode& node) {
  return other(node, expectation(node.type.dtype));
}

bool JsonRows::look_up(Object& object, size_t& expected, FieldNode*& node) {
  const std::string_view name = tokens_.string();
  const std::string_view written(name.data() - 1, name.size() + 2);
  for (size_t i = 0; i < object.keys.size(); ++i) {
    if (object.keys[i].written != written) continue;
    node = object.keys[i].node;
    expected = i + 1;
    return true;
  }
  auto field = object.fields.find(name);
  if (tokens_.has_escape(name)) {
    std::string meant(name.size(), '\0');
    size_t size = 0;
    const JsonEscapes escapes = unescape(name, meant.data(), size);
    if (escapes == JsonEscapes::wrong) return tokens_.broken("escapes that JSON has");
    // No field is called like half a character.
    meant.resize(size);
    field = escapes == JsonEscapes::good ? object.fields.find(meant) : object.fields.end();
  }
  node = field == object.fields.end() ? nullptr : field->second;
  if (object.keys.size() < kMostKeys) {
    object.keys.push_back({std::string(written), node});
    expected = object.keys.size();
  }
  return true;
}

bool JsonRows::key(Object& object, size_t& expected, FieldNode*& node) {
  if (!tokens_.at('"')) return tokens_.broken("a key");
  const KnownKey* known = expected < object.keys.size() ? &object.keys[expected] : nullptr;
  if (known && tokens_.next() - tokens_.offset() >= known->written.size() &&
      same_bytes(tokens_.bytes(), known->written.data(), known->written.size())) {
    node = known->node;
    ++expected;
  } else if (!look_up(object, expected, node)) {
    return false;
  }
  tokens_.step();
  return tokens_.colon();
}

JsonRows::Found JsonRows::object(Object& object, uint64_t& stamp) {
  stamp = columns_.new_stamp();
  if (!tokens_.open()) return Found::broken;
  if (tokens_.at('}')) {
    tokens_.close();
    return Found::value;
  }
  size_t expected = 0;
  for (;;) {
    FieldNode* node = nullptr;
    if (!key(object, expected, node)) return Found::broken;
    const bool good = node ? field(*node, stamp) != Found::broken : tokens_.skip();
    if (!good) return Found::broken;
    if (tokens_.at('}')) break;
    if (!tokens_.at(',')) return broken("',' or '}'");
    tokens_.step();
  }
  tokens_.close();
  return Found::value;
}

JsonRows::Found JsonRows::field(FieldNode& node, uint64_t stamp) {
  FieldColumns::found(node, stamp);
  const JsonTokens::Place begin = tokens_.place();
  if (!tokens_.more()) return broken("a value");
  const Found found = value(node);
  if (found == Found::value || found == Found::broken) [[likely]]
    return found;
  if (found == Found::null) {
    node.state = State::null;
    return found;
  }
  node.state = State::wrong;
  node.fault = fault_;
  tokens_.go_back(begin);
  return tokens_.skip() ? Found::wrong : Found::broken;
}

JsonRows::Found JsonRows::value(FieldNode& node) {
  switch (node.type.form) {
    case Form::tensor:
      return node.type.shape.rank() == 0 ? scalar(node) : tensor(node);
    case Form::ragged:
      return ragged(node);
    case Form::object:
      return nested(node);
    case Form::list:
      return list(node);
    default:
      return raw(node);
  }
}

JsonRows::Found JsonRows::nested(FieldNode& node) {
  if (tokens_.here() != '{') return other(node, "must be an object");
  uint64_t stamp = 0;
  if (object(objects_[node.number], stamp) == Found::broken) return Found::broken;
  if (columns_.close(node.members, stamp, fault_)) return Found::value;
  // All of it has been stepped over.
  node.state = State::wrong;
  node.fault = fault_;
  return Found::value;
}

template <class Member>
JsonRows::Found JsonRows::members(const FieldNode& node, Member member) {
  if (!tokens_.at('[')) return other(node, "must be a list");
  if (!tokens_.open()) return Found::broken;
  if (tokens_.at(']')) {
    tokens_.close();
    return Found::value;
  }
  for (;;) {
    if (!tokens_.more()) return broken("a value");
    const Found found = member();
    if (found == Found::null) {
      fault_ = {&node, "must have no null in its list", "null"};
      return Found::wrong;
    }
    if (found != Found::value) return found;
    if (tokens_.at(']')) break;
    if (!tokens_.at(',')) return broken("',' or ']'");
    tokens_.step();
  }
  tokens_.close();
  return Found::value;
}

JsonRows::Found JsonRows::list(FieldNode& node) {
  return members(node, [&] {
    if (tokens_.here() != '{') return wrong(node, "must be a list of objects");
    FieldColumns::start_object(node.members);
    uint64_t stamp = 0;
    if (object(objects_[node.number], stamp) == Found::broken) return Found::broken;
    if (!columns_.close(node.members, stamp, fault_)) return Found::wrong;
    ++node.length;
    return Found::value;
  });
}

JsonRows::Found JsonRows::scalar(FieldNode& node) {
  if (node.placed) return entry(node, node.place(columns_.rows()));
  const Found found = entry(node, node.entries.push());
  if (found != Found::value) node.entries.truncate(node.first_entry);
  return found;
}

JsonRows::Found JsonRows::dimension(FieldNode& node, int axis, Shape& shape, size_t& count) {
  const bool innermost = axis + 1 == shape.rank();
  const size_t width = dtype_size(node.type.dtype);
  int64_t members_here = 0;
  const Found found = members(node, [&] {
    if (members_here == shape[axis]) return wrong(node, kUneven);
    ++members_here;
    if (!innermost) return dimension(node, axis + 1, shape, count);
    uint8_t* out = node.placed ? node.place(columns_.rows()) + count * width : node.entries.push();
    ++count;
    return entry(node, out);
  });
  if (found != Found::value) return found;
  if (shape[axis] == kUnknownDim) shape.set_dim(axis, members_here);
  if (shape[axis] == members_here) return found;
  return wrong(node, kUneven);
}

JsonRows::Found JsonRows::tensor(FieldNode& node) {
  Shape shape = node.type.shape;
  size_t count = 0;
  const Found found = dimension(node, 0, shape, count);
  if (found != Found::value || node.placed) return found;
  // Those of lists that have no members.
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == kUnknownDim) shape.set_dim(axis, 0);
  }
  node.dims.insert(node.dims.end(), shape.dims().begin(), shape.dims().end());
  return found;
}

JsonRows::Found JsonRows::ragged(FieldNode& node) {
  const auto inner = [&] {
    const Found found = members(node, [&] { return entry(node, node.entries.push()); });
    if (found == Found::value)
      node.splits.push_back(static_cast<int64_t>(node.entries.size() - node.row_entries));
    return found;
  };
  return node.in_list ? inner() : members(node, inner);
}

JsonRows::Found JsonRows::raw(FieldNode& node) {
  if (node.type.optional && tokens_.is_word("null")) return other_entry(node);
  const uint32_t* const from = tokens_.position();
  if (!tokens_.skip()) return Found::broken;
  uint8_t* out = node.placed ? node.place(columns_.rows()) : node.entries.push();
  put(out, Str(tokens_.text_since(from)));
  return Found::value;
}

template <class T>
JsonRows::Found JsonRows::integer(const FieldNode& node, uint8_t* out) {
  JsonNumber number;
  T value{};
  if (!tokens_.goes_on() || !scan_number(tokens_.bytes(), tokens_.text_end(), number)) [[unlikely]]
    return other_entry(node);
  if (!tokens_.ends_after(number.text.size()) || !convert_integer(number, value))
    return wrong(node, expectation(node.type.dtype));
  put(out, value);
  tokens_.step();
  return Found::value;
}

template <class T>
JsonRows::Found JsonRows::floating(const FieldNode& node, uint8_t* out) {
  JsonNumber number;
  T value{};
  if (!tokens_.goes_on()) return other_entry(node);
  if (scan_number(tokens_.bytes(), tokens_.text_end(), number)) [[likely]] {
    if (!tokens_.ends_after(number.text.size())) return wrong(node, expectation(node.type.dtype));
    convert_number(number, value);
  } else {
    const bool infinite = tokens_.is_word("Infinity") || tokens_.is_word("-Infinity");
    if (!infinite && !tokens_.is_word("NaN")) return other_entry(node);
    double special =
        infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    if (tokens_.here() == '-') special = -special;
    if constexpr (std::is_same_v<T, Float16>) {
      value = to_float16(special);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      value = to_bfloat16(static_cast<float>(special));
    } else {
      value = static_cast<T>(special);
    }
  }
  put(out, value);
  tokens_.step();
  return Found::value;
}

JsonRows::Found JsonRows::string(const FieldNode& node, uint8_t* out) {
  if (tokens_.here() != '"') return other_entry(node);
  const std::string_view text = tokens_.string();
  if (!tokens_.has_escape(text)) [[likely]] {
    put(out, Str(text));
    tokens_.step();
    return Found::value;
  }
  char* const copy = copy_memory(text.size());
  size_t size = 0;
  switch (unescape(text, copy, size)) {
    case JsonEscapes::lone_surrogate:
      return wrong(node, "must be text, which half a pair of surrogates is not");
    case JsonEscapes::wrong:
      return broken("escapes that JSON has");
    default:
      break;
  }
  copied_ += size;
  put(out, Str(copy, size));
  tokens_.step();
  return Found::value;
}

JsonRows::Found JsonRows::truth(const FieldNode& node, uint8_t* out) {
  const bool value = tokens_.is_word("true");
  if (!value && !tokens_.is_word("false")) return other_entry(node);
  put(out, value);
  tokens_.step();
  return Found::value;
}

JsonRows::Found JsonRows::entry(const FieldNode& node, uint8_t* out) {
  if (node.type.dtype == DType::int64) return integer<int64_t>(node, out);
  if (node.type.dtype == DType::string) return string(node, out);
  switch (node.type.dtype) {
    case DType::boolean:
      return truth(node, out);
    case DType::int8:
      return integer<int8_t>(node, out);
    case DType::int16:
      return integer<int16_t>(node, out);
    case DType::int32:
      return integer<int32_t>(node, out);
    case DType::uint8:
      return integer<uint8_t>(node, out);
    case DType::uint16:
      return integer<uint16_t>(node, out);
    case DType::uint32:
      return integer<uint32_t>(node, out);
    case DType::uint64:
      return integer<uint64_t>(node, out);
    case DType::float16:
      return floating<Float16>(node, out);
    case DType::bfloat16:
      return floating<BFloat16>(node, out);
    case DType::float32:
      return floating<float>(node, out);
    default:
      return floating<double>(node, out);
  }
}

std::optional<Mistake> refuse_json_field(const FieldType& field) {
  if (field.form == Form::member)
    return Mistake{"names members of an archive", "in JSON a field has its own name"};
  if (is_complex(field.dtype))
    return Mistake{concat("is of dtype ", dtype_name(field.dtype)), "JSON has no complex numbers"};
  return std::nullopt;
}

}  // namespace weir
