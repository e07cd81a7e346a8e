#include "format/json/json_tokens.h"

#include "format/json/json_number.h"
#include "format/json/json_string.h"

namespace weir {

void JsonTokens::find_escape(size_t from) {
  const void* found = std::memchr(text_ + from, '\\', size_ - from);
  plain_from_ = from;
  escape_ = found == nullptr ? size_ : static_cast<size_t>(static_cast<const char*>(found) - text_);
}

std::string_view JsonTokens::rest(size_t offset) const {
  constexpr size_t kShown = 40;
  const std::string_view text(text_ + offset, std::min(end_ - offset, kShown));
  if (text.starts_with('{') || text.starts_with('[')) return text;
  size_t end = text.starts_with('"') ? text.find('"', 1) + 1 : text.find_first_of(",]}: \t\r\n");
  if (end == 0 || end > text.size()) end = text.size();
  return text.substr(0, std::max<size_t>(end, std::min<size_t>(text.size(), 1)));
}

std::string_view JsonTokens::text_since(const uint32_t* from) const {
  size_t end = std::min<size_t>(*at_, end_);
  while (is_space(text_[end - 1])) --end;
  return {text_ + *from, end - *from};
}

bool JsonTokens::check_string() {
  const std::string_view text = string();
  if (has_escape(text) && check_escapes(text) == JsonEscapes::wrong) return broken("escapes that JSON has");
  step();
  return true;
}

bool JsonTokens::check_word_or_number() {
  if (!goes_on()) return broken("',', ']' or '}' before the end");
  const bool good = is_number(word()) || is_word("true") || is_word("false") || is_word("null") ||
                    is_word("NaN") || is_word("Infinity") || is_word("-Infinity");
  if (!good) return broken("a value");
  step();
  return true;
}

bool JsonTokens::skip_key() {
  if (!at('"')) return broken("a key");
  return check_string() && colon();
}

// Steps over what a value begins with.
bool JsonTokens::skip_opening(bool& value_follows) {
  value_follows = false;
  if (!more()) return broken("a value");
  const char first = here();
  if (first == '"') return check_string();
  if (first != '{' && first != '[') return check_word_or_number();
  const bool object = first == '{';
  if (!open()) return false;
  in_object_[static_cast<size_t>(depth_)] = object;
  if (at(object ? '}' : ']')) {
    close();
    return true;
  }
  value_follows = true;
  return !object || skip_key();
}

bool JsonTokens::skip() {
  const int outside = depth_;
  for (;;) {
    bool value_follows = false;
    if (!skip_opening(value_follows)) return false;
    while (!value_follows) {
      if (depth_ == outside) return true;
      const bool object = in_object_[static_cast<size_t>(depth_)];
      if (at(',')) {
        step();
        if (object && !skip_key()) return false;
        value_follows = true;
      } else if (at(object ? '}' : ']')) {
        close();
      } else {
        return broken(object ? "',' or '}'" : "',' or ']'");
      }
    }
  }
}

}  // namespace weir
