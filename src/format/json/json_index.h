// JsonIndex: where the tokens of JSON texts begin, found by simdjson with the widest instructions that the
// machine has: brackets, colons, commas, opening quotes, and the first bytes of numbers and words. The text
// is then known to be UTF-8, and its strings to end and to have no control characters; nothing else is known.
//
// The text may be one value or lines of them: where it has no fault, no string goes past its line. Not
// thread-safe. Takes five bytes per byte of the longest text, of which it gives back what is above 16 MiB.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace weir {

class JsonIndex {
 public:
  // What is wrong with the whole text.
  enum class Fault : uint8_t { none, not_utf8, control_character, open_string, no_memory };

  JsonIndex();
  ~JsonIndex();
  JsonIndex(const JsonIndex&) = delete;
  JsonIndex& operator=(const JsonIndex&) = delete;

  // Reads no byte beyond the text. REQUIRES: its size fits 32 bits
  Fault find(std::string_view text);
  // Offsets in the text of the last find(), in rising order; three that are its size or more follow them.
  // REQUIRES: it found no fault
  std::span<const uint32_t> tokens() const { return tokens_; }

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  std::span<const uint32_t> tokens_;
};

// What an error says.
const char* describe(JsonIndex::Fault fault);

}  // namespace weir
