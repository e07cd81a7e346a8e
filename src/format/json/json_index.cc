#include "format/json/json_index.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>

namespace weir {

namespace {

constexpr size_t kLeastCapacity = size_t{64} << 10;
constexpr size_t kKeptCapacity = size_t{4} << 20;
// Behind the end of every text.
constexpr uint32_t kNoTokens[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};

}  // namespace

// The first stage of simdjson's parsers, which all of them are made of.
class JsonIndex::Parser {
 public:
  bool make_room(size_t size) {
    const bool fits = implementation_ && size <= implementation_->capacity() &&
                      (implementation_->capacity() <= kKeptCapacity || size > kKeptCapacity);
    if (fits) return true;
    implementation_ = nullptr;
    // Depth is for its other stages, which make no use of it here.
    const size_t capacity = std::max(std::bit_ceil(size), kLeastCapacity);
    return simdjson::get_active_implementation()->create_dom_parser_implementation(
               capacity, 1, implementation_) == simdjson::SUCCESS;
  }

  simdjson::error_code run(std::string_view text) {
    return implementation_->stage1(reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                                   simdjson::stage1_mode::regular);
  }

  std::span<const uint32_t> tokens() const {
    return {implementation_->structural_indexes.get(), implementation_->n_structural_indexes};
  }
  // There is room for them: simdjson ends its own tokens with as many.
  void end_with(uint32_t size) {
    std::fill_n(&implementation_->structural_indexes[implementation_->n_structural_indexes], 3, size);
  }

 private:
  std::unique_ptr<simdjson::internal::dom_parser_implementation> implementation_;
};

JsonIndex::JsonIndex() : parser_(std::make_unique<Parser>()) {}
JsonIndex::~JsonIndex() = default;

JsonIndex::Fault JsonIndex::find(std::string_view text) {
  tokens_ = std::span(kNoTokens, 0);
  if (text.empty()) return Fault::none;
  if (!parser_->make_room(text.size())) return Fault::no_memory;
  switch (parser_->run(text)) {
    case simdjson::SUCCESS:
      break;
    case simdjson::EMPTY:
      return Fault::none;
    case simdjson::UTF8_ERROR:
      return Fault::not_utf8;
    case simdjson::UNESCAPED_CHARS:
      return Fault::control_character;
    case simdjson::UNCLOSED_STRING:
      return Fault::open_string;
    default:
      return Fault::no_memory;
  }
  parser_->end_with(static_cast<uint32_t>(text.size()));
  tokens_ = parser_->tokens();
  return Fault::none;
}

const char* describe(JsonIndex::Fault fault) {
  switch (fault) {
    case JsonIndex::Fault::not_utf8:
      return "is not UTF-8";
    case JsonIndex::Fault::control_character:
      return "has a control character in a string, which JSON writes as an escape";
    case JsonIndex::Fault::open_string:
      return "has a string that does not end";
    case JsonIndex::Fault::no_memory:
      return "is too long to be read";
    default:
      return "";
  }
}

}  // namespace weir
