// Places in a text, and the one form in which errors show them: line, column and caret are rendered here alone.
// Ownership: a Span is a value; the text stays the caller's. Threads: pure functions.
// Errors: error_at() makes invalid_argument, the code of everything that keeps a dataset from being built.
// Cost: reads the text up to the place; a message shows at most kMaxShownColumns of its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace weir::syntax {

// Larger texts are refused.
inline constexpr size_t kMaxSourceBytes = size_t{1} << 20;
// Of a longer line an error shows the part around the caret.
inline constexpr size_t kMaxShownColumns = 120;

using weir::Span;

// Both from 1; a column is a character (UTF-8), not a byte.
struct Location {
  int line = 1;
  int column = 1;
};

// Where a byte is; beyond the end counts as the end.
Location locate(std::string_view source, size_t offset);

// At most so many mistakes of a text are shown.
inline constexpr size_t kMaxShownMistakes = 10;

// invalid_argument at a place of a text that is still to be rendered.
Status error_at(Span span, const Mistake& mistake);

// The mistakes of an error, in the order of the text and without those that only follow from others, up to
// kMaxShownMistakes; `left_out` is how many there are beyond those.
std::vector<ErrorPtr> mistakes_of(const Status& status, size_t* left_out);

// At the edge, where the text is known: the same error whose message has, for each mistake,
// "line 2, column 7: OPERATOR: PARAMETER: SENTENCE", the line, and a caret under the first character of the
// span (without a span, no place). What is ok or has been rendered is left alone.
Status render(const Status& status, std::string_view source);

// Mistakes as JSON, for editors: an array of objects with code, message, operator, parameter, expected, found,
// hint, notes, and the span with offset, size, line, column, end_line and end_column. A text without one gives
// an empty array.
std::string mistakes_json(const Status& status, std::string_view source);

}  // namespace weir::syntax
