#include "syntax/source.h"

#include <algorithm>

#include "core/text.h"

namespace weir::syntax {

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

size_t count_characters(std::string_view bytes) {
  return static_cast<size_t>(
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return !continues_character(c); }));
}

std::string_view line_around(std::string_view source, size_t offset, size_t* column_bytes) {
  size_t begin = offset == 0 ? 0 : source.rfind('\n', offset - 1) + 1;
  size_t end = std::min(source.find('\n', offset), source.size());
  *column_bytes = offset - begin;
  return source.substr(begin, end - begin);
}

}  // namespace

Location locate(std::string_view source, size_t offset) {
  offset = std::min(offset, source.size());
  size_t column_bytes = 0;
  std::string_view line = line_around(source, offset, &column_bytes);
  auto lines = std::count(source.begin(), source.begin() + static_cast<ptrdiff_t>(offset), '\n');
  return {static_cast<int>(lines) + 1, static_cast<int>(count_characters(line.substr(0, column_bytes))) + 1};
}

std::string render_with_caret(std::string_view source, Span span, std::string_view message) {
  size_t offset = std::min<size_t>(span.offset, source.size());
  Location location = locate(source, offset);
  size_t caret = 0;
  std::string_view line = line_around(source, offset, &caret);
  std::string shown;
  if (line.size() > kMaxShownColumns) {
    size_t begin = caret > kMaxShownColumns / 2 ? caret - kMaxShownColumns / 2 : 0;
    while (begin < caret && continues_character(line[begin])) ++begin;
    size_t size = std::min(kMaxShownColumns, line.size() - begin);
    while (size > 0 && begin + size < line.size() && continues_character(line[begin + size])) --size;
    shown = concat(begin > 0 ? "..." : "", line.substr(begin, size), begin + size < line.size() ? "..." : "");
    caret = caret - begin + (begin > 0 ? 3 : 0);
  } else {
    shown = line;
  }
  std::string under;
  for (size_t i = 0; i < caret && i < shown.size(); ++i) {
    if (!continues_character(shown[i])) under += shown[i] == '\t' ? '\t' : ' ';
  }
  for (char& c : shown) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) c = ' ';
  }
  return concat("line ", location.line, ", column ", location.column, ": ", message, "\n", shown, "\n", under,
                "^");
}

Status error_at(std::string_view source, Span span, std::string_view message) {
  return invalid_argument(render_with_caret(source, span, message));
}

}  // namespace weir::syntax
