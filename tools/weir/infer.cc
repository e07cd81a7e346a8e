#include "infer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/text.h"
#include "format/json/json_string.h"
#include "format/parse_number.h"
#include "format/tar/tar_members.h"

namespace weir::command {

namespace {

// Deeper values, and objects of more members than an element has parts, are left to json.
constexpr int kMaxDepth = 32;

bool is_plain(std::string_view key) {
  const auto letter = [](char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); };
  return !key.empty() && letter(key[0]) && key != "_" &&
         std::all_of(key.begin(), key.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

template <class T>
bool parse_whole(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// The digits of a decimal number, without zeros around them, and the power of ten of the first.
struct Digits {
  explicit Digits(std::string_view text) {
    const size_t mark = std::min(text.find_first_of("eE"), text.size());
    size_t point = std::string_view::npos;
    for (const char c : text.substr(0, mark)) {
      if (c == '.') point = digits.size();
      if (c >= '0' && c <= '9') digits += c;
    }
    place = static_cast<int64_t>(std::min(point, digits.size()));
    const size_t first = std::min(digits.find_first_not_of('0'), digits.size());
    digits.erase(0, first);
    digits.erase(digits.find_last_not_of('0') + 1);
    place -= static_cast<int64_t>(first);
    std::string_view power = text.substr(std::min(mark + 1, text.size()));
    if (power.starts_with('+')) power.remove_prefix(1);
    int64_t exponent = 0;
    std::from_chars(power.data(), power.data() + power.size(), exponent);
    place += exponent;
  }
  bool operator==(const Digits&) const = default;

  // The number without its sign, a point and an exponent; empty if it is not whole, or beyond uint64.
  std::string whole() const {
    constexpr int64_t kMost = std::numeric_limits<uint64_t>::digits10 + 1;
    const auto size = static_cast<int64_t>(digits.size());
    if (size == 0) return "0";
    return size <= place && place <= kMost ? digits + std::string(static_cast<size_t>(place - size), '0')
                                           : "";
  }

  std::string digits;
  int64_t place = 0;
};

std::string written_key(std::string_view key) { return is_plain(key) ? std::string(key) : quote(key); }

}  // namespace

struct FieldsOfObjects::Type {
  uint64_t bools = 0;
  uint64_t integers = 0;
  uint64_t floats = 0;
  uint64_t texts = 0;
  uint64_t objects = 0;
  uint64_t lists = 0;
  uint64_t nulls = 0;
  // Whether some number is below 0; beyond int64; one that float64 does not have; no whole one that int64 or
  // uint64 has; one that no dtype has.
  bool negative = false;
  bool large = false;
  bool wide = false;
  bool fraction = false;
  bool huge = false;
  bool too_large = false;
  std::vector<std::pair<std::string, std::unique_ptr<Type>>> members;
  std::map<std::string, Type*, std::less<>> by_name;
  std::unique_ptr<Type> item;

  uint64_t values() const { return bools + integers + floats + texts + objects + lists; }
  int kinds() const {
    return (bools > 0) + (integers + floats > 0) + (texts > 0) + (objects > 0) + (lists > 0);
  }
  // Whether one dtype has all numbers as they are written.
  bool has_dtype() const { return !huge && (is_float() ? !wide : !(negative && large)); }
  // Whole numbers that are written with a point or an exponent are floats where float64 has them all.
  bool is_float() const { return floats > 0 && (fraction || !wide); }
  bool is_scalar() const { return !too_large && kinds() == 1 && objects + lists == 0 && has_dtype(); }
  const char* scalar() const {
    if (bools > 0) return "bool";
    return texts > 0 ? "string" : is_float() ? "float64" : large ? "uint64" : "int64";
  }

  // False for what is no number.
  bool add_number(std::string_view text) {
    int64_t number = 0;
    if (parse_whole(text, number)) {
      ++integers;
      negative = negative || number < 0;
      wide = wide || number < -kExactWhole || number > kExactWhole;
      return true;
    }
    if (text.empty() || text.find_first_not_of("+-0123456789.eE") != text.npos) return false;
    const bool exponent = text.find('e') != text.npos || text.find('E') != text.npos;
    if (exponent || text.find('.') != text.npos) {
      ++floats;
      // Float64 has the others.
      constexpr size_t kShort = 15;
      double value = 0;
      const bool held =
          (!exponent && text.size() <= kShort) || !parse_number(text, value) || is_held(text, value);
      wide = wide || !held;
      if (fraction && held) return true;
      uint64_t beyond = 0;
      // A float has its -0.0.
      const std::string whole = Digits(text).whole();
      const bool minus = text[0] == '-';
      if (parse_whole((minus ? "-" : "") + whole, number) && (number != 0 || !minus)) {
        negative = negative || number < 0;
      } else if (!minus && parse_whole(whole, beyond)) {
        large = true;
      } else {
        fraction = true;
        huge = huge || !held;
      }
      return true;
    }
    ++integers;
    wide = true;
    uint64_t beyond = 0;
    (parse_whole(text, beyond) ? large : huge) = true;
    return true;
  }

  Type* member(std::string&& key) {
    const auto found = by_name.find(key);
    if (found != by_name.end()) return found->second;
    too_large = too_large || members.size() + 1 >= kMostParts;
    if (too_large) return nullptr;
    Type* const out = members.emplace_back(key, std::make_unique<Type>()).second.get();
    by_name.emplace(std::move(key), out);
    return out;
  }

  // A list of objects as a dict of vectors; empty if it can't be one.
  std::string list_of_objects() const {
    std::string out;
    for (const auto& [name, type] : members) {
      const bool always = type->values() == objects && type->nulls == 0;
      const bool list = type->lists > 0 && type->kinds() == 1 &&
                        (!type->item || (type->item->is_scalar() && type->item->nulls == 0));
      if (!always || (!type->is_scalar() && !list)) return "";
      out += (out.empty() ? "" : ", ") + written_key(name) + ": ";
      out += list ? concat("ragged(", type->item ? type->item->scalar() : "string", ")") : type->scalar();
    }
    return out.empty() ? "" : "list({" + out + "})";
  }

  // Of empty lists only, one of strings.
  std::string list_text() const {
    if (!item) return "string[?]";
    if (item->too_large || item->nulls > 0 || item->kinds() != 1) return "json";
    if (item->is_scalar()) return concat(item->scalar(), "[?]");
    if (item->objects > 0) {
      std::string objects_text = item->list_of_objects();
      return objects_text.empty() ? "json" : objects_text;
    }
    const Type* inner = item->item.get();
    return inner && inner->is_scalar() && inner->nulls == 0 ? concat("ragged(", inner->scalar(), ")")
                                                            : "json";
  }

  bool is_object() const { return !too_large && kinds() == 1 && objects > 0 && !members.empty(); }
  // Adds how many parts an element has by it.
  std::string members_text(size_t& parts) const {
    ++parts;
    std::string out;
    for (const auto& [name, type] : members)
      out += (out.empty() ? "" : ", ") + written_key(name) + ": " + type->text(objects, parts);
    return "{" + out + "}";
  }

  void find_paths(const std::string& path, SourcePaths& out) const {
    for (const auto& [name, type] : members) {
      size_t parts = 0;
      const std::string text = type->text(objects, parts);
      const std::string below = path + kBelow + name;
      if (type->is_object()) type->find_paths(below, out);
      if (text == "json" || text == "optional(json)") out.json.push_back(below);
      if (text.starts_with("list(") || text.starts_with("optional(list(")) out.objects.push_back(below);
    }
  }

  // `of`: the number of objects that may have it.
  std::string text(uint64_t of, size_t& parts) const {
    parts += values() == of ? 0 : 1;
    std::string out = "json";
    if (is_object()) {
      out = members_text(parts);
    } else {
      ++parts;
      if (is_scalar()) out = scalar();
      if (!too_large && kinds() == 1 && lists > 0) out = list_text();
      if (out.starts_with("list(")) parts += item->members.size();
    }
    return values() == of ? out : "optional(" + out + ")";
  }
};

namespace {

using Type = FieldsOfObjects::Type;

// Reads values that are JSON, into `type` unless that is null; false where they are none.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool object(Type* type) {
    skip_space();
    return value(type, 0) && (skip_space(), at_ == text_.size());
  }

 private:
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool string(std::string* out) {
    if (!take('"')) return false;
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return false;
    const std::string_view written = text_.substr(begin, at_++ - begin);
    if (!out) return true;
    out->resize(written.size());
    size_t size = 0;
    const JsonEscapes escapes = unescape(written, out->data(), size);
    out->resize(size);
    return escapes != JsonEscapes::wrong;
  }

  bool value(Type* type, int depth) {
    skip_space();
    if (at_ == text_.size() || depth > 1024) return false;
    if (type && depth > kMaxDepth) {
      type->too_large = true;
      type = nullptr;
    }
    switch (text_[at_]) {
      case '{':
        if (type) ++type->objects;
        return members(type, depth);
      case '[':
        if (type) ++type->lists;
        return items(type, depth);
      case '"':
        if (type) ++type->texts;
        return string(nullptr);
      default:
        return word(type);
    }
  }

  bool members(Type* type, int depth) {
    ++at_;
    if (take('}')) return true;
    do {
      std::string key;
      if (!string(&key) || !take(':')) return false;
      if (!value(type ? type->member(std::move(key)) : nullptr, depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  bool items(Type* type, int depth) {
    ++at_;
    if (take(']')) return true;
    if (type && !type->item) type->item = std::make_unique<Type>();
    do {
      if (!value(type ? type->item.get() : nullptr, depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool word(Type* type) {
    const size_t end = std::min(text_.find_first_of(" \t\r\n,]}:\"", at_), text_.size());
    const std::string_view found = text_.substr(at_, end - at_);
    at_ = end;
    Type none;
    Type& out = type ? *type : none;
    if (found == "null") return ++out.nulls, true;
    if (found == "true" || found == "false") return ++out.bools, true;
    if (found == "NaN" || found == "Infinity" || found == "-Infinity")
      return ++out.floats, out.fraction = true;
    return out.add_number(found);
  }

  const std::string_view text_;
  size_t at_ = 0;
};

// The blocks of an archive, one after the other.
class Blocks final : public TarBytes {
 public:
  Blocks(const Runtime& runtime, const std::string& file, uint64_t rest)
      : iterator_(
            runtime,
            parse(runtime,
                  concat("fixed_length_record(@file, 512, compression: \"auto\", footer_bytes: ", rest, ")"),
                  {{"file", file}})) {}

  std::span<const uint8_t> peek(size_t size) override {
    while (bytes_.size() < size && more()) {
    }
    return {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()};
  }
  void advance(size_t size) override {
    bytes_.erase(0, size);
    offset_ += size;
  }
  bool skip(uint64_t size) override {
    offset_ += size;
    while (size > bytes_.size()) {
      size -= bytes_.size();
      bytes_.clear();
      if (!more()) return false;
    }
    bytes_.erase(0, static_cast<size_t>(size));
    return true;
  }
  uint64_t offset() const override { return offset_; }

 private:
  bool more() {
    try {
      if (!iterator_.next(element_)) return false;
    } catch (const Error& error) {
      if (!error.element_failed()) throw;
      return false;
    }
    bytes_ += element_.get<std::string_view>(0);
    return true;
  }

  Iterator iterator_;
  Element element_;
  std::string bytes_;
  uint64_t offset_ = 0;
};

}  // namespace

bool is_held(std::string_view text, double number) {
  const std::string_view digits = text.substr(0, text.find_first_of("eE"));
  if (std::isinf(number)) return digits.find_first_of("0123456789") == digits.npos;
  if (number == 0) return digits.find_first_of("123456789") == digits.npos;
  if (std::isnan(number) || std::fabs(number) < static_cast<double>(kExactWhole)) return true;
  // The fewest that give it, or all that it has.
  std::array<char, std::numeric_limits<double>::max_exponent10 + 3> own;
  char* const end = own.data() + own.size();
  const Digits wanted(text);
  const auto few = std::to_chars(own.data(), end, number, std::chars_format::scientific);
  if (wanted == Digits({own.data(), static_cast<size_t>(few.ptr - own.data())})) return true;
  const auto all = std::to_chars(own.data(), end, number, std::chars_format::fixed, 0);
  return wanted == Digits({own.data(), static_cast<size_t>(all.ptr - own.data())});
}

FieldsOfObjects::FieldsOfObjects() : root_(std::make_unique<Type>()) {}
FieldsOfObjects::~FieldsOfObjects() = default;

void FieldsOfObjects::add(std::string_view line) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (root_->objects == 0 && line.starts_with(kMark)) line.remove_prefix(kMark.size());
  // A line that breaks off must leave nothing.
  const bool object = line.find_first_not_of(" \t\r") != std::string_view::npos &&
                      line[line.find_first_not_of(" \t\r")] == '{' && Reader(line).object(nullptr);
  if (object) Reader(line).object(root_.get());
}

std::string FieldsOfObjects::text() const {
  size_t parts = 0;
  std::string out = root_->members_text(parts);
  return root_->too_large || parts > kMostParts ? "" : out;
}
SourcePaths FieldsOfObjects::source_paths() const {
  SourcePaths out;
  root_->find_paths("", out);
  return out;
}

std::string fields_of_archive(const Runtime& runtime, const std::string& file, uint64_t rest) {
  Blocks blocks(runtime, file, rest);
  TarMembers members(blocks);
  TarMember member;
  // By extension in the order of their appearance: in how many elements, and the last of them.
  std::vector<std::pair<std::string, std::pair<uint64_t, uint64_t>>> found;
  std::map<std::string, size_t> places;
  std::string key;
  uint64_t elements = 0;
  while (members.next(member) == TarMembers::Next::member) {
    std::string_view member_key;
    std::string extension;
    if (split_member_path(member.name, member_key, extension)) {
      if (elements == 0 || member_key != key) ++elements;
      key.assign(member_key);
      const auto [place, first] = places.emplace(extension, found.size());
      if (first) found.push_back({std::move(extension), {0, 0}});
      if (found.size() > kMostParts) return "";
      auto& [count, last] = found[place->second].second;
      if (last != elements) ++count;
      last = elements;
    }
    if (!blocks.skip(tar_blocks(member.size))) break;
  }
  std::string out = "__key__: string";
  size_t parts = 2;
  for (const auto& [extension, seen] : found) parts += seen.first == elements ? 1 : 2;
  if (parts > kMostParts) return "";
  for (const auto& [extension, seen] : found)
    out += ", " + written_key(extension) + (seen.first == elements ? ": string" : ": optional(string)");
  return "{" + out + "}";
}

}  // namespace weir::command
