// Places in a text, and the one form in which errors show them.
// Ownership: a Span is a value; the text stays the caller's. Threads: pure functions.
// Errors: error_at() makes invalid_argument, the code of everything that keeps a dataset from being built.
// Cost: reads the text up to the place; a message shows at most kMaxShownColumns of its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/status.h"

namespace weir::syntax {

// Larger texts are refused.
inline constexpr size_t kMaxSourceBytes = size_t{1} << 20;
// Of a longer line an error shows the part around the caret.
inline constexpr size_t kMaxShownColumns = 120;

// Bytes [offset, offset + size) of a text.
struct Span {
  uint32_t offset = 0;
  uint32_t size = 0;
};

// Both from 1; a column is a character (UTF-8), not a byte.
struct Location {
  int line = 1;
  int column = 1;
};

// Where a byte is; beyond the end counts as the end.
Location locate(std::string_view source, size_t offset);

// "line 2, column 7: MESSAGE", then the line, then a caret under the first character of the span.
std::string render_with_caret(std::string_view source, Span span, std::string_view message);

// invalid_argument with that text.
Status error_at(std::string_view source, Span span, std::string_view message);

}  // namespace weir::syntax
