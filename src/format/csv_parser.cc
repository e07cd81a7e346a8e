#include "format/csv_parser.h"

#include <cstring>

namespace weir {

CsvEnd CsvParser::next_quoted(const char*& at, const char* end, bool last, CsvField& field) const {
  const char* const begin = at + 1;
  const char* here = begin;
  for (;;) {
    const void* found = here < end ? std::memchr(here, '"', static_cast<size_t>(end - here)) : nullptr;
    if (!found) {
      if (!last) return CsvEnd::more;
      field.bytes = {begin, static_cast<size_t>(end - begin)};
      field.mistake = "the file ends inside a field in quotes";
      at = end;
      return CsvEnd::row;
    }
    const char* quote = static_cast<const char*>(found);
    const char* next = quote + 1;
    if (next == end && !last) return CsvEnd::more;
    const bool closes = next == end || *next == delimiter_ || *next == '\n' || *next == '\r';
    if (!closes) {
      if (*next == '"') {
        field.doubled = true;
      } else {
        field.mistake = "a quote inside a field in quotes must be doubled";
      }
      here = next + 1;
      continue;
    }
    field.bytes = {begin, static_cast<size_t>(quote - begin)};
    if (next == end) {
      at = end;
      return CsvEnd::row;
    }
    if (*next == delimiter_) {
      at = next + 1;
      return CsvEnd::delimiter;
    }
    if (!step_over_line_end(next, end, last)) return CsvEnd::more;
    at = next;
    return CsvEnd::row;
  }
}

size_t CsvParser::undouble(std::string_view bytes, char* to) {
  size_t size = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    to[size++] = bytes[i];
    if (bytes[i] == '"' && i + 1 < bytes.size() && bytes[i + 1] == '"') ++i;
  }
  return size;
}

}  // namespace weir
