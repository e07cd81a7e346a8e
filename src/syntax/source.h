// Places in a text, and how errors show them: only here are line, column and caret rendered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace weir::syntax {

// Larger texts are refused.
inline constexpr size_t kMaxSourceBytes = size_t{1} << 20;
// The most columns shown of a line with an error, around the caret.
inline constexpr size_t kMaxShownColumns = 120;

using weir::Span;

// Both count from 1; a column is a character (UTF-8), not a byte.
struct Location {
  int line = 1;
  int column = 1;
};

// Finds a byte; an offset beyond the end counts as the end.
Location locate(std::string_view source, size_t offset);

// The most mistakes of a text that are shown.
inline constexpr size_t kMaxShownMistakes = 10;

// invalid_argument at a place of a text; the message is rendered later. All errors that keep a dataset from
// being built have this code.
Status error_at(Span span, const Mistake& mistake);

// The mistakes of an error, in the order of the text and without those that only follow from others, up to
// kMaxShownMistakes; `left_out` counts the others.
std::vector<ErrorPtr> mistakes_of(const Status& status, size_t* left_out);

// Called at the edge, where the text is known: returns the error with a message that has, for each mistake,
// "line 2, column 7: OPERATOR: PARAMETER: SENTENCE", the line, and a caret under the first character of the
// span (no place without a span). Leaves ok and rendered errors alone.
Status render(const Status& status, std::string_view source);

// A part of a text that whoever made it has a name for.
struct Label {
  std::string name;
  Span span;
};
// A part comes after the parts around it.
using Labels = std::vector<Label>;

// Mistakes as JSON, for editors: an array of objects with code, message, operator, parameter, expected,
// found, hint, the span with offset, size, line, column, end_line and end_column, and the labels
// around it. Empty if there are no mistakes.
std::string mistakes_json(const Status& status, std::string_view source, const Labels& labels = {});

}  // namespace weir::syntax
