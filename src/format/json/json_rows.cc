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
// So many keys of an object are known; what is beyond takes the place of the last.
constexpr size_t kMostKeys = 256;

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
  objects_[number].members = &members;
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
  Found found = tokens_.at('{') ? object(objects_[0]) : broken("an object");
  if (found != Found::broken && tokens_.more()) found = broken("nothing after the object");
  while (tokens_.more()) tokens_.step();
  token = tokens_.position();
  if (found == Found::value) columns_.add_row();
  return found == Found::value;
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
  if (!tokens_.expected()) return field_mistake();
  const std::string_view found = tokens_.found();
  return expected_found(tokens_.expected(), concat(found.empty() ? "the end" : quote(found), " at byte ",
                                                   tokens_.broken_at(), " of ", what));
}

Mistake JsonRows::field_mistake() const {
  std::vector<std::string> present;
  std::vector<std::string> wanted;
  for (const Object& object : objects_) {
    const auto found = object.fields.find(fault_.node->type.name);
    if (found == object.fields.end() || found->second != fault_.node) continue;
    for (const KnownKey& key : object.keys) present.push_back(key.written.substr(1, key.written.size() - 3));
    for (const auto& [name, field] : object.fields) wanted.emplace_back(name);
  }
  return describe(fault_, present, wanted);
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
  return tokens_.more() && tokens_.is_word("null") ? Found::null : wrong(node, what);
}

JsonRows::Found JsonRows::other_entry(const FieldNode& node) {
  return other(node, expectation(node.type.dtype));
}

const JsonRows::KnownKey* JsonRows::look_up(Object& object) {
  const std::string_view name = tokens_.string();
  const std::string_view written(name.data() - 1, name.size() + 2);
  for (const KnownKey& known : object.keys) {
    if (std::string_view(known.written).substr(0, known.written.size() - 1) == written) return &known;
  }
  auto field = object.fields.find(name);
  if (tokens_.has_escape(name)) {
    std::string meant(name.size(), '\0');
    size_t size = 0;
    const JsonEscapes escapes = unescape(name, meant.data(), size);
    if (escapes == JsonEscapes::wrong) {
      tokens_.broken("escapes that JSON has");
      return nullptr;
    }
    // No field is called like half a character.
    meant.resize(size);
    field = escapes == JsonEscapes::good ? object.fields.find(meant) : object.fields.end();
  }
  if (object.keys.size() == kMostKeys) object.keys.pop_back();
  FieldNode* const node = field == object.fields.end() ? nullptr : field->second;
  return &object.keys.emplace_back(KnownKey{concat(written, ":"), node});
}

const JsonRows::KnownKey* JsonRows::key(Object& object) {
  const bool there = tokens_.at('"') || tokens_.broken("a key");
  const KnownKey* const known = there ? look_up(object) : nullptr;
  if (!known) return nullptr;
  tokens_.step();
  return tokens_.colon() && (tokens_.more() || tokens_.broken("a value")) ? known : nullptr;
}

inline JsonRows::Found JsonRows::scalar(FieldNode& node) {
  if (node.placed) return entry(node, node.place(columns_.rows()));
  const Found found = entry(node, node.entries.push());
  if (found != Found::value) node.entries.truncate(node.first_entry);
  return found;
}

JsonRows::Found JsonRows::object(Object& object) {
  if (!tokens_.open()) return Found::broken;
  const uint64_t stamp = columns_.new_stamp();
  size_t fields = 0;
  // A field was found twice, or its value is odd.
  bool odd = false;
  const KnownKey* known = object.keys.data();
  const uint32_t* token = tokens_.position();
  bool more = !tokens_.is(token, '}');
  while (more) {
    if (known != object.keys.data() + object.keys.size() && tokens_.is_key(token, known->written))
        [[likely]] {
      token += 2;
      tokens_.go_to(token);
    } else {
      tokens_.go_to(token);
      known = key(object);
      if (!known) return Found::broken;
      token = tokens_.position();
    }
    FieldNode* const node = known++->node;
    if (node == nullptr) {
      if (!tokens_.skip()) return Found::broken;
      token = tokens_.position();
    } else {
      odd |= FieldColumns::found(*node, stamp);
      ++fields;
      const JsonTokens::Place begin = tokens_.place();
      const Found found = node->scalar ? scalar(*node) : value(*node);
      ++token;
      if (found != Found::value) [[unlikely]] {
        if (odd_field(*node, found, begin) == Found::broken) return Found::broken;
        odd = true;
      }
      if (!node->scalar || found != Found::value) token = tokens_.position();
    }
    more = tokens_.is(token, ',');
    if (more) ++token;
  }
  tokens_.go_to(token);
  if (!tokens_.at('}')) return broken("',' or '}'");
  tokens_.close();
  const bool whole = !odd && fields == object.members->size();
  return whole || columns_.close(*object.members, stamp, fault_) ? Found::value : Found::wrong;
}

JsonRows::Found JsonRows::odd_field(FieldNode& node, Found found, JsonTokens::Place begin) {
  if (found == Found::broken) return found;
  if (found == Found::null) {
    node.state = State::null;
    tokens_.step();
    return found;
  }
  node.state = State::wrong;
  node.fault = fault_;
  tokens_.go_back(begin);
  if (!tokens_.skip()) return Found::broken;
  const std::string_view read = tokens_.text_since(begin.at);
  if (node.fault.found.data() == read.data()) node.fault.found = read;
  return Found::wrong;
}

JsonRows::Found JsonRows::value(FieldNode& node) {
  switch (node.type.form) {
    case Form::tensor:
      return tensor(node);
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
  return object(objects_[node.number]);
}

template <class Member>
JsonRows::Found JsonRows::members(const FieldNode& node, Member member) {
  if (!tokens_.at('[')) return other(node, "must be a list");
  if (!tokens_.open()) return Found::broken;
  if (tokens_.at(']')) {
    tokens_.close();
    return Found::value;
  }
  for (const uint32_t* token = tokens_.position();; ++token) {
    tokens_.go_to(token);
    if (!tokens_.more()) return broken("a value");
    const Found found = member(token);
    if (found == Found::null) {
      fault_ = {&node, "must have no null in its list", "null"};
      return Found::wrong;
    }
    if (found != Found::value) return found;
    if (tokens_.is(token, ',')) continue;
    tokens_.go_to(token);
    if (!tokens_.at(']')) return broken("',' or ']'");
    tokens_.close();
    return Found::value;
  }
}

JsonRows::Found JsonRows::list(FieldNode& node) {
  return members(node, [&](const uint32_t*& token) {
    if (tokens_.here() != '{') return wrong(node, "must be a list of objects");
    FieldColumns::start_object(node.members);
    const Found found = object(objects_[node.number]);
    ++node.length;
    token = tokens_.position();
    return found;
  });
}

JsonRows::Found JsonRows::dimension(FieldNode& node, int axis, Shape& shape, size_t& count) {
  const bool innermost = axis + 1 == shape.rank();
  const size_t width = dtype_size(node.type.dtype);
  int64_t members_here = 0;
  const Found found = members(node, [&](const uint32_t*& token) {
    ++members_here;
    if (shape[axis] != kUnknownDim && members_here > shape[axis]) {
      if (!tokens_.skip()) return Found::broken;
      token = tokens_.position();
      return Found::value;
    }
    if (!innermost) {
      const Found inner = dimension(node, axis + 1, shape, count);
      token = tokens_.position();
      return inner;
    }
    uint8_t* out = node.placed ? node.place(columns_.rows()) + count * width : node.entries.push();
    ++count;
    ++token;
    return entry(node, out);
  });
  if (found != Found::value) return found;
  if (shape[axis] == kUnknownDim) shape.set_dim(axis, members_here);
  if (shape[axis] == members_here) return found;
  fault_ = {&node, "must have", {}, false, shape[axis], members_here};
  return Found::wrong;
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
  for (const int64_t dim : shape.dims()) node.dims.push_back(dim);
  return found;
}

JsonRows::Found JsonRows::ragged(FieldNode& node) {
  const auto inner = [&] {
    const Found found = members(node, [&](const uint32_t*& token) {
      ++token;
      return entry(node, node.entries.push());
    });
    if (found == Found::value)
      node.splits.push_back(static_cast<int64_t>(node.entries.size() - node.row_entries));
    return found;
  };
  if (node.in_list) return inner();
  return members(node, [&](const uint32_t*& token) {
    const Found found = inner();
    token = tokens_.position();
    return found;
  });
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
JsonRows::Found JsonRows::number(const FieldNode& node, uint8_t* out) {
  T value{};
  if (!tokens_.goes_on() || !read_short(tokens_.word(), tokens_.text_end(), value))
    return any_number<T>(node, out);
  put(out, value);
  return Found::value;
}

template <class T>
JsonRows::Found JsonRows::any_number(const FieldNode& node, uint8_t* out) {
  T value{};
  if (!tokens_.goes_on()) return other_entry(node);
  if (!read_number(tokens_.word(), value)) {
    if (std::is_integral_v<T>) return other_entry(node);
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
  return Found::value;
}

JsonRows::Found JsonRows::string(const FieldNode& node, uint8_t* out) {
  if (tokens_.here() != '"') return other_entry(node);
  const std::string_view text = tokens_.string();
  if (tokens_.has_escape(text)) [[unlikely]]
    return escaped(node, out);
  put(out, Str(text));
  return Found::value;
}

JsonRows::Found JsonRows::escaped(const FieldNode& node, uint8_t* out) {
  const std::string_view text = tokens_.string();
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
  return Found::value;
}

JsonRows::Found JsonRows::truth(const FieldNode& node, uint8_t* out) {
  const bool value = tokens_.is_word("true");
  if (!value && !tokens_.is_word("false")) return other_entry(node);
  put(out, value);
  return Found::value;
}

JsonRows::Found JsonRows::entry(const FieldNode& node, uint8_t* out) {
  if (node.type.dtype == DType::int64) return number<int64_t>(node, out);
  if (node.type.dtype == DType::string) return string(node, out);
  switch (node.type.dtype) {
    case DType::boolean:
      return truth(node, out);
    case DType::int8:
      return number<int8_t>(node, out);
    case DType::int16:
      return number<int16_t>(node, out);
    case DType::int32:
      return number<int32_t>(node, out);
    case DType::uint8:
      return number<uint8_t>(node, out);
    case DType::uint16:
      return number<uint16_t>(node, out);
    case DType::uint32:
      return number<uint32_t>(node, out);
    case DType::uint64:
      return number<uint64_t>(node, out);
    case DType::float16:
      return number<Float16>(node, out);
    case DType::bfloat16:
      return number<BFloat16>(node, out);
    case DType::float32:
      return number<float>(node, out);
    default:
      return number<double>(node, out);
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
