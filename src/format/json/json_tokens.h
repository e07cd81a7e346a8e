// JsonTokens: steps over the tokens of JSON objects and checks that they make valid JSON. Not thread-safe.
//
// What steps and fails has called broken(), which the caller passes on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "format/name_index.h"

namespace weir {

class JsonTokens {
 public:
  static constexpr int kMaxDepth = 1024;

  void start_text(std::string_view text) {
    text_ = text.data();
    size_ = text.size();
    plain_from_ = 1;
    escape_ = 0;
  }
  // The object at [begin, end), whose first token is the one at `token`.
  void start(size_t begin, size_t end, const uint32_t* token) {
    begin_ = begin;
    end_ = end;
    at_ = token;
    depth_ = 0;
    expected_ = nullptr;
  }

  // Whether there is another token, its first byte, and where it is.
  bool more() const { return *at_ < end_; }
  char here() const { return text_[*at_]; }
  size_t offset() const { return *at_; }
  const char* bytes() const { return text_ + *at_; }
  const char* text_end() const { return text_ + size_; }
  // Where the token after it begins, or the object ends.
  size_t next() const { return std::min<size_t>(at_[1], end_); }
  bool at(char c) const { return is(at_, c); }
  void step() { ++at_; }

  // For loops that keep the token in a register.
  const uint32_t* position() const { return at_; }
  void go_to(const uint32_t* token) { at_ = token; }
  bool has(const uint32_t* token) const { return *token < end_; }
  bool is(const uint32_t* token, char c) const { return has(token) && text_[*token] == c; }
  // Whether `key`, with its quotes and a colon, begins there, and a value follows.
  bool is_key(const uint32_t* token, std::string_view key) const {
    return has(token + 2) && token[2] - token[0] >= key.size() &&
           same_bytes(text_ + *token, key.data(), key.size());
  }

  struct Place {
    const uint32_t* at;
    int depth;
  };
  Place place() const { return {at_, depth_}; }
  void go_back(Place place) {
    at_ = place.at;
    depth_ = place.depth;
  }

  // Steps over an opening bracket, or closing one; false beyond kMaxDepth.
  bool open() {
    if (++depth_ > kMaxDepth) return broken("at most 1,024 brackets within each other");
    step();
    return true;
  }
  void close() {
    --depth_;
    step();
  }
  // Steps over a colon.
  bool colon() {
    if (!at(':')) return broken("':' after a key");
    step();
    return true;
  }

  // Always false.
  bool broken(const char* expected) {
    if (expected_) return false;
    expected_ = expected;
    broken_at_ = more() ? *at_ : end_;
    return false;
  }
  // Null if nothing was.
  const char* expected() const { return expected_; }
  // Counted from the beginning of the object.
  size_t broken_at() const { return broken_at_ - begin_; }
  std::string_view found() const { return rest(broken_at_); }

  // The value at `offset` as far as it is of interest for a message.
  std::string_view rest(size_t offset) const;

  // What lies between the quotes.
  // REQUIRES: here() is a quote
  std::string_view string() const {
    size_t end = next();
    while (text_[end - 1] != '"') --end;
    return {text_ + *at_ + 1, end - *at_ - 2};
  }
  // Whether a part of the text has a backslash.
  bool has_escape(std::string_view part) {
    const auto begin = static_cast<size_t>(part.data() - text_);
    if (begin < plain_from_ || begin > escape_) find_escape(begin);
    return escape_ < begin + part.size();
  }
  // Whether the token is this word.
  bool is_word(std::string_view word) const {
    const size_t size = next() - *at_;
    return size >= word.size() && std::memcmp(bytes(), word.data(), word.size()) == 0 &&
           (size == word.size() || is_space(bytes()[word.size()]));
  }
  // The token and what follows it, without spaces at the end.
  // REQUIRES: goes_on()
  std::string_view word() const {
    size_t end = at_[1];
    while (text_[end - 1] <= ' ' && is_space(text_[end - 1])) --end;
    return {bytes(), end - *at_};
  }
  // Whether the object goes on after the token.
  bool goes_on() const { return at_[1] < end_; }
  // The text from the token at `from` up to this one, without spaces at its end.
  std::string_view text_since(const uint32_t* from) const;

  // Step over any value, and over a key and its colon.
  bool skip();
  bool skip_key();

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

  void find_escape(size_t from);
  bool check_string();
  bool check_word_or_number();
  bool skip_opening(bool& value_follows);

  const char* text_ = nullptr;
  size_t size_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  const uint32_t* at_ = nullptr;
  int depth_ = 0;
  // The next backslash from plain_from_ on.
  size_t plain_from_ = 1;
  size_t escape_ = 0;
  const char* expected_ = nullptr;
  size_t broken_at_ = 0;
  // Which of the open brackets are those of objects.
  std::array<bool, kMaxDepth + 1> in_object_{};
};

}  // namespace weir
